using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Weir.Load.Tests;

/// <summary>A TCP server that answers the n-th request of all by a script, and knows how many connections are open.</summary>
internal sealed class ScriptedServer : IAsyncDisposable
{
    public const string Ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly CancellationTokenSource _stopping = new();
    private readonly Func<int, Socket, Task> _answer;
    private readonly Task _accepting;
    private int _requests;
    private int _open;
    private int _accepted;

    /// <param name="answer">Called with the number of a request, from 1, and its connection.</param>
    public ScriptedServer(Func<int, Socket, Task> answer)
    {
        _answer = answer;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(512);
        _accepting = AcceptAsync();
    }

    public Uri Address => new($"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndPoint!).Port}/");

    /// <summary>Connections that neither side has closed.</summary>
    public int Open => Volatile.Read(ref _open);

    /// <summary>All connections so far.</summary>
    public int Accepted => Volatile.Read(ref _accepted);

    public int Requests => Volatile.Read(ref _requests);

    /// <summary>The bytes of the last request.</summary>
    public string LastRequest { get; private set; } = "";

    /// <summary>Answers every request with the same bytes.</summary>
    public static ScriptedServer Answering(string response) => new((_, connection) => SendAsync(connection, response));

    public static async Task SendAsync(Socket connection, string text) => await connection.SendAsync(Encoding.ASCII.GetBytes(text));

    /// <summary>Closes everything; may be called again.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        _listener.Dispose();
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var connection = await _listener.AcceptAsync(_stopping.Token);
                Interlocked.Increment(ref _open);
                Interlocked.Increment(ref _accepted);
                _ = ServeAsync(connection);
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
                connection.NoDelay = true;
                var buffer = new byte[64 * 1024];
                while (await connection.ReceiveAsync(buffer, _stopping.Token) is > 0 and var length)
                {
                    LastRequest = Encoding.ASCII.GetString(buffer, 0, length);
                    await _answer(Interlocked.Increment(ref _requests), connection);
                }
            }
            catch (Exception exception) when (exception is OperationCanceledException or SocketException or ObjectDisposedException)
            {
                // Either side is gone.
            }
        }

        Interlocked.Decrement(ref _open);
    }
}
