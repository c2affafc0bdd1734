using System.Net;
using System.Net.Sockets;
using Weir.Lab.Measuring;
using Weir.Load.Requests;

namespace Weir.Lab.Load;

/// <summary>One streamed response over a plain socket, read by a thread that does nothing else: arrival times are as exact as the kernel's.</summary>
internal sealed class RawStream : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _buffer = new byte[256 * 1024];
    private readonly BodyDecoder _decoder = new();

    private RawStream(int port) => _socket.Connect(IPAddress.Loopback, port);

    /// <summary>When the request left.</summary>
    public long SentAt { get; private set; }

    public int Status => _decoder.Status;

    /// <summary>Whether the response ended as responses do.</summary>
    public bool IsComplete => _decoder.IsComplete;

    /// <summary>The value of a header of the response; null where there is none, or it has not come yet.</summary>
    public string? Header(string name) => _decoder.Header(name);

    /// <summary>Connects, lets the server accept, and asks.</summary>
    /// <param name="port">Of the server, on 127.0.0.1.</param>
    /// <param name="path">What is asked for.</param>
    /// <param name="patience">How long the next bytes may take before the response counts as broken; null for no limit.</param>
    public static RawStream Get(int port, string path, TimeSpan? patience = null)
    {
        var stream = new RawStream(port);
        stream._socket.ReceiveTimeout = (int)(patience?.TotalMilliseconds ?? 0);
        var request = RequestSet.GetBytes(path);
        stream.SentAt = Clock.Now;
        stream._socket.Send(request);
        return stream;
    }

    /// <summary>Reads until the response has ended, the connection broke, or <paramref name="enough"/> says so.</summary>
    /// <param name="sink">The body's bytes and when they were here.</param>
    /// <param name="enough">Asked after every read; null reads to the end.</param>
    public void Read(Action<ReadOnlySpan<byte>, long> sink, Func<bool>? enough = null)
    {
        while (!_decoder.IsComplete && enough?.Invoke() != true)
        {
            int length;
            try
            {
                length = _socket.Receive(_buffer);
            }
            catch (SocketException)
            {
                return;
            }

            if (length == 0)
                return;

            var now = Clock.Now;
            _decoder.Feed(_buffer.AsSpan(0, length), body => sink(body, now));
        }
    }

    /// <summary>Leaves, as a caller who has seen enough; the response is cut off.</summary>
    public void Dispose() => _socket.Dispose();
}
