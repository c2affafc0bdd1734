using System.Net;
using System.Net.Sockets;
using System.Text;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Load;

/// <summary>Sends hostile requests one after the other, each over a connection of its own, and a healthy one behind each.</summary>
/// <param name="server">The server.</param>
/// <param name="seed">Of its requests.</param>
/// <param name="patience">How long the server may take for each step.</param>
internal sealed class HostileSender(IPEndPoint server, int seed, TimeSpan patience)
{
    // An answer that needs no more bytes comes sooner, unless the server is busy: then it is closed without one.
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(50);

    private readonly HostileRequests _requests = new(seed);
    private readonly AbuseCount _count = new();
    private readonly byte[] _buffer = new byte[16 * 1024];
    private int _sent;

    /// <summary>Sends so many of a kind.</summary>
    public async Task<AbuseCount> RunAsync(string kind, int requests, CancellationToken cancellation)
    {
        for (var i = 0; i < requests; i++)
            await SendAsync(_requests.Next(kind), cancellation);
        return _count;
    }

    private async Task SendAsync(HostileRequest request, CancellationToken cancellation)
    {
        using (var socket = await ConnectAsync(cancellation))
        {
            await WriteAsync(socket, request, cancellation);
            if (request.Ending == SenderEnding.Resets)
                socket.LingerState = new LingerOption(true, 0);
            else if (await ReadAsync(socket, request.Ending, cancellation) && await AskAsync(socket, cancellation))
            {
                _count.HealthyAnswered(onSameConnection: true);
                return;
            }
        }

        using var next = await ConnectAsync(cancellation);
        if (await AskAsync(next, cancellation))
            _count.HealthyAnswered(onSameConnection: false);
        else
            _count.HealthyUnanswered();
    }

    private async Task<Socket> ConnectAsync(CancellationToken cancellation)
    {
        var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(server, cancellation);
        return socket;
    }

    private async Task WriteAsync(Socket socket, HostileRequest request, CancellationToken cancellation)
    {
        try
        {
            for (var sent = 0; sent < request.Bytes.Length;)
            {
                var length = request.IsDripped ? 1 : request.Bytes.Length - sent;
                sent += await socket.SendAsync(request.Bytes.AsMemory(sent, length), cancellation).AsTask().WaitAsync(patience, cancellation);
                if (request.IsDripped)
                    await Task.Delay(1, cancellation);
            }

            if (request.Ending == SenderEnding.HalfCloses)
                Close(socket);
        }
        catch (Exception error) when (error is SocketException or TimeoutException)
        {
            // It was answered and closed before it was read to its end, which reading shows.
        }
    }

    // Whether the connection can be used for another request.
    private async Task<bool> ReadAsync(Socket socket, SenderEnding ending, CancellationToken cancellation)
    {
        var scanner = new ResponseScanner();
        var answers = 0;
        var isOpen = ending == SenderEnding.GivesUp;
        while (true)
        {
            var length = await ReceiveAsync(socket, isOpen ? Moment : patience, cancellation);
            if (length <= 0 && !isOpen)
            {
                if (length < 0)
                    _count.Hung();
                else if (answers == 0)
                    _count.Closed();
                return false;
            }

            for (var start = 0; scanner.TryEnd(_buffer.AsSpan(start, Math.Max(0, length - start)), out var taken); start += taken)
            {
                answers++;
                _count.Answered(scanner.Status);
            }

            if (isOpen && (length <= 0 || answers > 0))
            {
                isOpen = false;
                Close(socket);
            }
            else if (ending == SenderEnding.Waits && answers > 0)
            {
                return !scanner.Closes;
            }
        }
    }

    private static void Close(Socket socket)
    {
        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // The server was first.
        }
    }

    // A healthy request with an answer of its own: whether that came.
    private async Task<bool> AskAsync(Socket socket, CancellationToken cancellation)
    {
        var canary = $"s{seed}n{_sent++}";
        var body = new StringBuilder();
        var decoder = new BodyDecoder();
        try
        {
            await socket.SendAsync(RequestSet.GetBytes($"/perf/echo?name={canary}&x=1&y=2&e=Apple"), cancellation);
            while (!decoder.IsComplete)
            {
                if (await ReceiveAsync(socket, patience, cancellation) is not (> 0 and var length))
                    return false;
                decoder.Feed(_buffer.AsSpan(0, length), bytes => body.Append(Encoding.UTF8.GetString(bytes)));
            }
        }
        catch (SocketException)
        {
            return false;
        }

        return decoder.Status == 200 && body.ToString() == $$"""{"name":"{{canary}}","sum":3}""";
    }

    // Zero when it was closed or reset, less when that was not so in time.
    private async Task<int> ReceiveAsync(Socket socket, TimeSpan most, CancellationToken cancellation)
    {
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        enough.CancelAfter(most);
        try
        {
            return await socket.ReceiveAsync(_buffer, enough.Token);
        }
        catch (SocketException)
        {
            return 0;
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return -1;
        }
    }
}
