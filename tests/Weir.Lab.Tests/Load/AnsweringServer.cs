using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Weir.Lab.Tests.Load;

/// <summary>Answers the head of each request as it is asked to: with bytes, by closing (an empty answer), or not at all (<c>null</c>).</summary>
internal sealed class AnsweringServer : IDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly Func<string, string?> _answer;
    private readonly SemaphoreSlim _left = new(0);
    private readonly Lock _one = new();
    private long _most;

    public AnsweringServer(Func<string, string?> answer)
    {
        _answer = answer;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        new Thread(Accept) { IsBackground = true }.Start();
    }

    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndPoint!;

    /// <summary>Bytes of the connection that gave most.</summary>
    public long MostReceived
    {
        get
        {
            lock (_one)
                return _most;
        }
    }

    /// <summary>Ends when so many connections more were closed.</summary>
    public async Task ClosedAsync(int connections)
    {
        for (var i = 0; i < connections; i++)
            await _left.WaitAsync();
    }

    /// <summary>A complete answer.</summary>
    public static string Reply(int status, string body) => $"HTTP/1.1 {status} x\r\nContent-Length: {Encoding.UTF8.GetByteCount(body)}\r\n\r\n{body}";

    /// <summary>What a right server answers to the healthy request; otherwise null.</summary>
    public static string? Healthy(string head)
    {
        const string before = "GET /perf/echo?name=s";
        return head.StartsWith(before, StringComparison.Ordinal)
            ? Reply(200, $$"""{"name":"s{{head[before.Length..head.IndexOf('&', StringComparison.Ordinal)]}}","sum":3}""")
            : null;
    }

    public void Dispose() => _listener.Dispose();

    private void Accept()
    {
        try
        {
            while (true)
            {
                var socket = _listener.Accept();
                new Thread(() => Serve(socket)) { IsBackground = true }.Start();
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // It was closed.
        }
    }

    private static long BodyLength(string head)
    {
        const string name = "\r\nContent-Length: ";
        var at = head.IndexOf(name, StringComparison.OrdinalIgnoreCase);
        return at >= 0 && long.TryParse(head.AsSpan(at + name.Length, head.IndexOf('\r', at + name.Length) - at - name.Length), out var length) ? length : 0;
    }

    private void Serve(Socket socket)
    {
        var total = 0L;
        using (socket)
        {
            try
            {
                var received = "";

                // What is left of the body of the request that was answered: it may arrive in pieces.
                var left = 0L;
                var buffer = new byte[64 * 1024];
                while (socket.Receive(buffer) is > 0 and var length)
                {
                    total += length;
                    var skipped = (int)Math.Min(left, length);
                    left -= skipped;
                    received += Encoding.Latin1.GetString(buffer, skipped, length - skipped);
                    if (!received.Contains("\r\n\r\n", StringComparison.Ordinal))
                        continue;
                    if (_answer(received) is { } answer)
                    {
                        if (answer.Length == 0)
                            return;
                        socket.Send(Encoding.UTF8.GetBytes(answer));
                    }

                    left = Math.Max(0, BodyLength(received) - (received.Length - received.IndexOf("\r\n\r\n", StringComparison.Ordinal) - 4));
                    received = "";
                }
            }
            catch (SocketException)
            {
                // The caller has disconnected.
            }
        }

        lock (_one)
            _most = Math.Max(_most, total);
        _left.Release();
    }
}
