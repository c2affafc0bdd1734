using System.Net;
using System.Net.Sockets;
using System.Text;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>A caller beside whom the other end stands still: it takes nothing of a response without an end, or sends content to an operation that takes nothing.</summary>
internal sealed class StandingCaller : IDisposable
{
    // The least that the kernel keeps for a reader: what is measured is the server's end.
    private const int ReceiveBuffer = 4096;
    private const int PieceBytes = 64 * 1024;
    private static readonly TimeSpan Sample = TimeSpan.FromMilliseconds(50);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveBufferSize = ReceiveBuffer };

    /// <param name="server">The server.</param>
    /// <param name="request">The head of the request.</param>
    public StandingCaller(IPEndPoint server, string request)
    {
        _socket.Connect(server);
        _socket.Send(Encoding.ASCII.GetBytes(request));
        _socket.Blocking = false;
    }

    /// <summary>Watches a number that grows until it has stood still for a while, and returns it; at its most after <paramref name="patience"/>.</summary>
    public static async Task<long> WhenStillAsync(Func<long> number, TimeSpan still, TimeSpan patience, CancellationToken cancellation)
    {
        var (began, since, last) = (Clock.Now, Clock.Now, 0L);
        while (Clock.SecondsSince(began) < patience.TotalSeconds && (last == 0 || Clock.SecondsSince(since) < still.TotalSeconds))
        {
            await Task.Delay(Sample, cancellation);
            var now = number();
            (last, since) = now == last ? (last, since) : (now, Clock.Now);
        }

        return last;
    }

    /// <summary>Sends generated content until the server has taken none for a while; how many bytes it and the kernel have taken.</summary>
    public Task<long> SendUntilStillAsync(TimeSpan still, TimeSpan patience, CancellationToken cancellation)
    {
        var (began, sent) = (Clock.Now, 0L);
        return WhenStillAsync(
            () =>
            {
                while (Clock.SecondsSince(began) < patience.TotalSeconds && _socket.Poll(0, SelectMode.SelectWrite))
                    sent += _socket.Send(GeneratedContent.Piece(sent, PieceBytes).Span, SocketFlags.None);
                return sent;
            },
            still,
            patience,
            cancellation);
    }

    /// <summary>Leaves without a goodbye.</summary>
    public void Dispose()
    {
        _socket.LingerState = new LingerOption(true, 0);
        _socket.Dispose();
    }
}
