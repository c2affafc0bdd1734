using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>
/// One request whose content comes back, over a plain socket: a thread sends generated content while another compares every byte that arrives with it.
/// Neither holds more than a piece.
/// </summary>
internal sealed class EchoedContent : IDisposable
{
    private const int BufferBytes = 256 * 1024;

    // For the next byte: a host that stores the upload answers when it has all of it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveTimeout = (int)Patience.TotalMilliseconds };
    private readonly string _path;
    private readonly long _length;

    private EchoedContent(string path, long length) => (_path, _length) = (path, length);

    /// <summary>How many seconds it took, from the connection's first byte to its last.</summary>
    /// <param name="server">The server.</param>
    /// <param name="path">Of the operation.</param>
    /// <param name="length">Of the content, in bytes.</param>
    /// <exception cref="InvalidDataException">Something else came back.</exception>
    public static async Task<double> RunAsync(IPEndPoint server, string path, long length)
    {
        using var run = new EchoedContent(path, length);
        run._socket.Connect(server);
        var began = Clock.Now;
        var sending = OnThread(run.Send);
        try
        {
            await OnThread(run.Receive);
            var seconds = Clock.SecondsSince(began);
            await sending;
            return seconds;
        }
        catch
        {
            // Where the server does not read any more, the sender would wait.
            run.Dispose();
            await sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw;
        }
    }

    public void Dispose() => _socket.Dispose();

    private static Task OnThread(Action work) => Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void Send()
    {
        SendAll(Encoding.ASCII.GetBytes(string.Create(
            CultureInfo.InvariantCulture, $"POST {_path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\nContent-Length: {_length}\r\n\r\n")));
        for (var position = 0L; position < _length;)
        {
            var piece = GeneratedContent.Piece(position, Math.Min(BufferBytes, _length - position)).Span;
            SendAll(piece);
            position += piece.Length;
        }
    }

    private void SendAll(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
            bytes = bytes[_socket.Send(bytes)..];
    }

    private void Receive()
    {
        var buffer = new byte[BufferBytes];
        var decoder = new BodyDecoder();
        var (position, isRight) = (0L, true);
        while (!decoder.IsComplete && isRight && _socket.Receive(buffer) is > 0 and var count)
        {
            decoder.Feed(buffer.AsSpan(0, count), bytes =>
            {
                isRight = isRight && decoder.Status == 200 && GeneratedContent.Matches(position, bytes);
                position += bytes.Length;
            });
        }

        if (!decoder.IsComplete || !isRight || position != _length)
            throw new InvalidDataException($"{_path} gave {decoder.Status} and {position} bytes, {(isRight ? "the right ones" : "with wrong ones among them")}; {_length} were sent. It {(decoder.IsComplete ? "ended" : "broke off")}.");
    }
}
