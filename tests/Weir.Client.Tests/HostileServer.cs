using System.Net.Sockets;
using System.Text;

namespace Weir.Client.Tests;

/// <summary>Answers every request with the bytes that it was given, and closes the connection.</summary>
internal sealed class HostileServer : LoopbackServer
{
    private int _requests;

    internal HostileServer() => Http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{Start()}"), Timeout = TimeSpan.FromSeconds(30) };

    internal HttpClient Http { get; }

    /// <summary>What is sent, from the status line on; after the last byte the connection is closed.</summary>
    internal byte[] Answer { get; set; } = [];

    /// <summary>How often the answer's last part is sent after it; many for a body without an end.</summary>
    internal (byte[] Part, int Count) Flood { get; set; } = ([], 0);

    internal int Requests => Volatile.Read(ref _requests);

    internal static byte[] Response(string status, string type, string body, string headers = "", int? length = null) =>
        Encoding.UTF8.GetBytes($"HTTP/1.1 {status}\r\nContent-Type: {type}\r\n{headers}Content-Length: {length ?? Encoding.UTF8.GetByteCount(body)}\r\nConnection: close\r\n\r\n{body}");

    public override ValueTask DisposeAsync()
    {
        Http.Dispose();
        return base.DisposeAsync();
    }

    protected override async Task ServeAsync(Socket client)
    {
        using (client)
        {
            try
            {
                var head = new StringBuilder();
                var buffer = new byte[4096];
                while (!head.ToString().Contains("\r\n\r\n", StringComparison.Ordinal))
                {
                    var count = await client.ReceiveAsync(buffer, Stopping);
                    if (count == 0)
                    {
                        return;
                    }

                    head.Append(Encoding.ASCII.GetString(buffer, 0, count));
                }

                Interlocked.Increment(ref _requests);
                await client.SendAsync(Answer, Stopping);
                for (var i = 0; i < Flood.Count; i++)
                {
                    await client.SendAsync(Flood.Part, Stopping);
                }

                // What the client still sends is read: otherwise its answer would be lost in a reset.
                client.Shutdown(SocketShutdown.Send);
                while (await client.ReceiveAsync(buffer, Stopping) > 0)
                {
                }
            }
            catch (Exception error) when (error is SocketException or OperationCanceledException)
            {
                // The client has left.
            }
        }
    }
}
