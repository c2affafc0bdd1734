using System.Net;
using System.Runtime.InteropServices;
using Weir.Load.Measuring;

namespace Weir.Load.Raw;

/// <summary>
/// One connection of a load generator: requests out, responses in. One that was closed is opened again by the next request, whose service time includes
/// that. Reactor only.
/// </summary>
internal sealed unsafe class LoadConnection : IDisposable
{
    private const int NoDescriptor = -1;

    private readonly IPEndPoint _server;
    private readonly int _epoll;
    private readonly bool _isHead;
    private int _descriptor = NoDescriptor;
    private bool _isWatchedForOut;
    private byte[] _out = new byte[1024];
    private int _outLength;
    private int _outSent;

    // Requests in flight, oldest first; a ring whose length is a power of two.
    private Exchange[] _exchanges = new Exchange[4];
    private int _oldest;
    private ResponseScanner _scanner;

    public LoadConnection(IPEndPoint server, int epoll, int index, bool isHead)
    {
        (_server, _epoll, _isHead) = (server, epoll, isHead);
        _scanner = new ResponseScanner { IsHead = isHead };
        Index = index;
    }

    public int Index { get; }

    /// <summary>Requests whose response has not ended.</summary>
    public int InFlight { get; private set; }

    /// <summary>Whether its socket is being connected.</summary>
    public bool IsConnecting { get; private set; }

    /// <summary>Why the connection cannot be used any more, as a report names it; <c>null</c> while it can. <see cref="Reset"/> clears it.</summary>
    public string? Failure { get; private set; }

    /// <summary>Whether <see cref="Failure"/> came while the connection was opened.</summary>
    public bool FailedToOpen { get; private set; }

    public bool HasSocket => _descriptor != NoDescriptor;

    /// <summary>When it may be used again after a failed attempt to open it; zero for now.</summary>
    public long RestsUntil { get; set; }

    /// <summary>The oldest request in flight, whose response arrives next.</summary>
    public Exchange Oldest => _exchanges[_oldest];

    /// <summary>When the last bytes of the response that arrives came; zero before the first.</summary>
    public long LastBytes { get; set; }

    /// <summary>When the last items of the response that arrives came, and how many there are so far.</summary>
    public long LastItems { get; set; }

    public long Items { get; set; }

    public ItemCounter Counter { get; set; }

    public ref ResponseScanner Scanner => ref _scanner;

    private bool HasUnsent => _outSent < _outLength;

    /// <summary>Begins to connect; whether that succeeded is known when the socket can be written.</summary>
    public void Open()
    {
        FailedToOpen = false;
        _descriptor = Epoll.CreateSocket((int)_server.AddressFamily == (int)System.Net.Sockets.AddressFamily.InterNetworkV6 ? Epoll.Ip6 : Epoll.Ip4);
        if (_descriptor < 0)
        {
            _descriptor = NoDescriptor;
            Fail(Marshal.GetLastPInvokeError(), toOpen: true);
            return;
        }

        var address = _server.Serialize();
        fixed (byte* bytes = address.Buffer.Span)
        {
            IsConnecting = true;
            if (Epoll.Connect(_descriptor, bytes, address.Size) < 0 && Marshal.GetLastPInvokeError() is var error and not Epoll.InProgress)
            {
                Fail(error, toOpen: true);
                return;
            }
        }

        _isWatchedForOut = true;
        Epoll.Watch(_epoll, Epoll.Add, _descriptor, Epoll.In | Epoll.Out, Index);
    }

    /// <summary>After the socket became ready: notes whether it is connected.</summary>
    public void EndConnect()
    {
        IsConnecting = false;
        if (Epoll.ErrorOf(_descriptor) is var error and not 0)
        {
            Fail(error, toOpen: true);
        }
    }

    /// <summary>Once it is connected: waits for bytes only.</summary>
    public void WatchIn()
    {
        if (Failure is null)
        {
            WatchOut(false);
        }
    }

    /// <summary>Appends a request; it leaves with the next <see cref="Flush"/>.</summary>
    public void Enqueue(ReadOnlySpan<byte> request, long start, long now)
    {
        if (_outLength + request.Length > _out.Length)
        {
            Array.Resize(ref _out, Math.Max(_out.Length * 2, _outLength + request.Length));
        }

        request.CopyTo(_out.AsSpan(_outLength));
        _outLength += request.Length;
        if (InFlight == _exchanges.Length)
        {
            GrowExchanges();
        }

        _exchanges[(_oldest + InFlight) & (_exchanges.Length - 1)] = new Exchange(start, now);
        InFlight++;
    }

    /// <summary>Sends what was appended, as far as the socket takes it; opens the connection first if it was closed.</summary>
    public void Flush()
    {
        if (!HasUnsent || Failure is not null || IsConnecting)
        {
            return;
        }

        if (!HasSocket)
        {
            Open();
            return;
        }

        while (HasUnsent)
        {
            fixed (byte* bytes = &_out[_outSent])
            {
                var sent = Epoll.Send(_descriptor, bytes, (nuint)(_outLength - _outSent), Epoll.NoSignal);
                if (sent >= 0)
                {
                    _outSent += (int)sent;
                    continue;
                }
            }

            switch (Marshal.GetLastPInvokeError())
            {
                case Epoll.WouldBlock:
                    WatchOut(true);
                    return;

                case Epoll.Interrupted:
                    continue;

                case var error:
                    Fail(error, toOpen: false);
                    return;
            }
        }

        (_outSent, _outLength) = (0, 0);
        WatchOut(false);
    }

    /// <summary>Reads once into a buffer of the reactor; zero when nothing is there.</summary>
    public int Receive(byte* buffer, int length)
    {
        var received = Epoll.Receive(_descriptor, buffer, (nuint)length, 0);
        if (received > 0)
        {
            return (int)received;
        }

        if (received == 0)
        {
            Failure = ErrorKinds.Closed;
        }
        else if (Marshal.GetLastPInvokeError() is var error and not (Epoll.WouldBlock or Epoll.Interrupted))
        {
            Fail(error, toOpen: false);
        }

        return 0;
    }

    /// <summary>Takes the oldest request out: its response has ended.</summary>
    public Exchange End()
    {
        var exchange = _exchanges[_oldest];
        _oldest = (_oldest + 1) & (_exchanges.Length - 1);
        InFlight--;
        (LastBytes, LastItems, Items) = (0, 0, 0);
        return exchange;
    }

    /// <summary>Closes the socket and forgets what was in flight: the next request opens the connection again.</summary>
    public void Reset()
    {
        CloseSocket();
        (_outSent, _outLength, InFlight, _oldest) = (0, 0, 0, 0);
        (LastBytes, LastItems, Items) = (0, 0, 0);
        (Failure, FailedToOpen, IsConnecting) = (null, false, false);
        _scanner = new ResponseScanner { IsHead = _isHead };
    }

    public void Dispose() => CloseSocket();

    private void Fail(int error, bool toOpen)
    {
        IsConnecting = false;
        FailedToOpen = toOpen;
        Failure = error switch
        {
            Epoll.Refused => ErrorKinds.Refused,
            Epoll.ConnectionReset or Epoll.BrokenPipe => ErrorKinds.Closed,
            _ => ErrorKinds.ConnectionFailed,
        };
    }

    // Closing takes the socket out of the epoll set.
    private void CloseSocket()
    {
        if (HasSocket)
        {
            _ = Epoll.Close(_descriptor);
            _descriptor = NoDescriptor;
            _isWatchedForOut = false;
        }
    }

    private void WatchOut(bool watch)
    {
        if (_isWatchedForOut != watch)
        {
            _isWatchedForOut = watch;
            Epoll.Watch(_epoll, Epoll.Modify, _descriptor, watch ? Epoll.In | Epoll.Out : Epoll.In, Index);
        }
    }

    private void GrowExchanges()
    {
        var larger = new Exchange[_exchanges.Length * 2];
        for (var i = 0; i < InFlight; i++)
        {
            larger[i] = _exchanges[(_oldest + i) & (_exchanges.Length - 1)];
        }

        _exchanges = larger;
        _oldest = 0;
    }
}
