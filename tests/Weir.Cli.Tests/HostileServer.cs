using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Weir.Cli.Tests;

/// <summary>A TCP server that has a catalog and answers everything else with the bytes of a test, whatever they are, and then closes.</summary>
internal sealed class HostileServer : IAsyncDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly CancellationTokenSource _stopping = new();
    private readonly Func<string, byte[]> _answer;
    private readonly Task _accepting;

    /// <param name="answer">Bytes for the target of a request.</param>
    public HostileServer(Func<string, byte[]> answer)
    {
        _answer = answer;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(64);
        _accepting = AcceptAsync();
    }

    /// <summary>Its address, without a slash at the end.</summary>
    public string Address => $"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndPoint!).Port}";

    /// <summary>The requests, with their heads and the first of their bodies.</summary>
    public ConcurrentQueue<string> Requests { get; } = new();

    /// <summary>A server with a catalog at its root, and one answer to every call.</summary>
    public static HostileServer Answering(byte[] answer) => new(target => target == "/$catalog" ? Json(CallCatalog.Text()) : answer);

    /// <summary>A whole response.</summary>
    public static byte[] Response(string head, string body) => Encoding.Latin1.GetBytes($"HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").Concat(Encoding.UTF8.GetBytes(body)).ToArray();

    /// <summary>A response of JSON.</summary>
    public static byte[] Json(string body) => Response($"200 OK\r\nContent-Type: application/json\r\nContent-Length: {Encoding.UTF8.GetByteCount(body)}", body);

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        _listener.Dispose();
        await _accepting;
        _stopping.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptAsync(_stopping.Token));
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private async Task ServeAsync(Socket connection)
    {
        using (connection)
        {
            try
            {
                var buffer = new byte[64 * 1024];
                var length = 0;
                string request;
                do
                {
                    var count = await connection.ReceiveAsync(buffer.AsMemory(length), _stopping.Token);
                    length += count;
                    request = Encoding.Latin1.GetString(buffer, 0, length);
                    if (count == 0)
                    {
                        return;
                    }
                }
                while (!IsWhole(request));

                Requests.Enqueue(request);
                await connection.SendAsync(_answer(request.Split(' ')[1]), _stopping.Token);
                connection.Shutdown(SocketShutdown.Send);
                while (await connection.ReceiveAsync(buffer, _stopping.Token) > 0)
                {
                    // Until the client has read all of it: closing earlier would reset the connection.
                }
            }
            catch (Exception exception) when (exception is OperationCanceledException or SocketException or ObjectDisposedException)
            {
                // The client has gone.
            }
        }
    }

    private static bool IsWhole(string request)
    {
        var end = request.IndexOf("\r\n\r\n", StringComparison.Ordinal);
        if (end < 0)
        {
            return false;
        }

        var length = request[..end].Split("\r\n").FirstOrDefault(static line => line.StartsWith("Content-Length:", StringComparison.OrdinalIgnoreCase));
        return request.Contains("Transfer-Encoding: chunked", StringComparison.OrdinalIgnoreCase)
            ? request.EndsWith("0\r\n\r\n", StringComparison.Ordinal)
            : length is null || request.Length - end - 4 >= int.Parse(length.Split(':')[1], System.Globalization.CultureInfo.InvariantCulture);
    }
}
