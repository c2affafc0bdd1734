using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Weir.Lab.Load;

/// <summary>One connection of a load generator: requests out, ends of responses in. Reactor only.</summary>
internal sealed class LoadConnection : IDisposable
{
    private readonly IPEndPoint _server;
    private readonly int _epoll;
    private Socket _socket;
    private bool _watchesOut;
    private byte[] _out = new byte[1024];
    private int _outLength;
    private int _outSent;

    // Starts of the requests in flight, oldest first; a ring whose length is a power of two.
    private long[] _starts = new long[4];
    private int _oldest;
    private ResponseScanner _scanner;

    private LoadConnection(IPEndPoint server, int epoll, int index)
    {
        _server = server;
        _epoll = epoll;
        Index = index;
        _socket = Connect();
    }

    public int Index { get; }

    /// <summary>Requests whose response has not ended.</summary>
    public int InFlight { get; private set; }

    /// <summary>Whether the peer closed it or it broke.</summary>
    public bool IsBroken { get; private set; }

    private int Descriptor => (int)_socket.Handle;

    private bool HasUnsent => _outSent < _outLength;

    /// <summary>Connects, and watches the connection in an epoll set under its index.</summary>
    public static LoadConnection Open(IPEndPoint server, int epoll, int index) => new(server, epoll, index);

    /// <summary>Appends a request; it leaves with the next <see cref="Flush"/>.</summary>
    public void Enqueue(ReadOnlySpan<byte> request, long start)
    {
        if (_outLength + request.Length > _out.Length)
            Array.Resize(ref _out, Math.Max(_out.Length * 2, _outLength + request.Length));
        request.CopyTo(_out.AsSpan(_outLength));
        _outLength += request.Length;

        if (InFlight == _starts.Length)
            GrowStarts();
        _starts[(_oldest + InFlight) & (_starts.Length - 1)] = start;
        InFlight++;
    }

    /// <summary>Sends what was appended, as far as the socket takes it.</summary>
    public unsafe void Flush()
    {
        while (HasUnsent && !IsBroken)
        {
            fixed (byte* bytes = &_out[_outSent])
            {
                var sent = Epoll.Send(Descriptor, bytes, (nuint)(_outLength - _outSent), 0);
                if (sent < 0)
                {
                    if (Marshal.GetLastPInvokeError() == Epoll.WouldBlock)
                    {
                        WatchOut(true);
                        return;
                    }

                    IsBroken = Marshal.GetLastPInvokeError() != Epoll.Interrupted;
                    continue;
                }

                _outSent += (int)sent;
            }
        }

        (_outSent, _outLength) = (0, 0);
        WatchOut(false);
    }

    /// <summary>Reads once into a buffer of the reactor; zero when nothing is there.</summary>
    public unsafe int Receive(byte* buffer, int length)
    {
        var received = Epoll.Receive(Descriptor, buffer, (nuint)length, 0);
        if (received > 0)
            return (int)received;

        IsBroken = received == 0 || Marshal.GetLastPInvokeError() is not (Epoll.WouldBlock or Epoll.Interrupted);
        return 0;
    }

    /// <summary>Takes the next ended response out of received bytes.</summary>
    public bool TryEnd(ref ReadOnlySpan<byte> bytes, out long start, out int status)
    {
        var ended = _scanner.TryEnd(bytes, out var taken);
        bytes = bytes[taken..];
        status = _scanner.Status;
        start = 0;
        if (!ended || InFlight == 0)
            return false;

        start = _starts[_oldest];
        _oldest = (_oldest + 1) & (_starts.Length - 1);
        InFlight--;
        if (_scanner.Closes && InFlight == 0)
            Reopen();
        return true;
    }

    public void Dispose() => _socket.Dispose();

    private Socket Connect()
    {
        var socket = new Socket(_server.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.Connect(_server);
        socket.Blocking = false;
        Epoll.Watch(_epoll, Epoll.Add, (int)socket.Handle, Epoll.In, Index);
        return socket;
    }

    // The server said goodbye: what follows goes over a new connection.
    private void Reopen()
    {
        _socket.Dispose();
        _socket = Connect();
        _watchesOut = false;
    }

    private void WatchOut(bool watch)
    {
        if (_watchesOut == watch)
            return;

        _watchesOut = watch;
        Epoll.Watch(_epoll, Epoll.Modify, Descriptor, watch ? Epoll.In | Epoll.Out : Epoll.In, Index);
    }

    private void GrowStarts()
    {
        var larger = new long[_starts.Length * 2];
        for (var i = 0; i < InFlight; i++)
            larger[i] = _starts[(_oldest + i) & (_starts.Length - 1)];
        _starts = larger;
        _oldest = 0;
    }
}
