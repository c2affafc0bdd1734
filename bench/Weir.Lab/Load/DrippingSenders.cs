using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Weir.Lab.Load;

/// <summary>Senders that give a long body byte by byte, slowly, and begin again when they are turned away.</summary>
internal sealed class DrippingSenders : IAsyncDisposable
{
    private static readonly byte[] Digit = "1"u8.ToArray();

    private readonly CancellationTokenSource _enough = new();
    private readonly TimeSpan _interval;
    private readonly Task _dripping;
    private int _begun;

    /// <summary>Begins.</summary>
    /// <param name="server">The server.</param>
    /// <param name="path">For an operation with a body.</param>
    /// <param name="mediaType">Of the body.</param>
    /// <param name="first">How the body begins; digits follow.</param>
    /// <param name="senders">How many.</param>
    /// <param name="interval">Between two bytes of one sender.</param>
    public DrippingSenders(IPEndPoint server, string path, string mediaType, string first, int senders, TimeSpan interval)
    {
        _interval = interval;
        var head = Encoding.ASCII.GetBytes($"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {mediaType}\r\nContent-Length: 100000\r\n\r\n{first}");
        _dripping = Task.WhenAll(Enumerable.Range(0, senders).Select(_ => Task.Run(() => DripAsync(server, head))));
    }

    /// <summary>How many requests were begun so far.</summary>
    public int Begun => Volatile.Read(ref _begun);

    public async ValueTask DisposeAsync()
    {
        await _enough.CancelAsync();
        await _dripping.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _enough.Dispose();
    }

    private async Task DripAsync(IPEndPoint server, byte[] head)
    {
        while (!_enough.IsCancellationRequested)
        {
            using var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            try
            {
                await socket.ConnectAsync(server, _enough.Token);
                Interlocked.Increment(ref _begun);
                for (var piece = head; !IsAnswered(socket); piece = Digit)
                {
                    await socket.SendAsync(piece, _enough.Token);
                    await Task.Delay(_interval, _enough.Token);
                }
            }
            catch (SocketException)
            {
                // Closed by the server.
            }
        }
    }

    // An answer has come, or the server has closed: both can be read.
    private static bool IsAnswered(Socket socket) => socket.Poll(0, SelectMode.SelectRead);
}
