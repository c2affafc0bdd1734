using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Weir.Jobs.RabbitMq.Tests.Broker;

/// <summary>Between an intake and its broker: sees acknowledgements and cancellations on their way, keeps them from arriving, and cuts connections.</summary>
internal sealed class AmqpProxy : IAsyncDisposable
{
    private const int Basic = 60;
    private const int Cancel = 30;
    private const int Deliver = 60;
    private const int Acknowledge = 80;

    private readonly int _brokerPort;
    private readonly Socket _reserved;
    private readonly ConcurrentDictionary<Link, byte> _links = new();
    private readonly CancellationTokenSource _closed = new();
    private TcpListener? _listener;
    private Task _accepting = Task.CompletedTask;
    private int _acknowledged;
    private int _cancelled;
    private int _redelivered;

    public AmqpProxy(RabbitMqServer server)
    {
        var broker = new Uri(server.Uri);
        _brokerPort = broker.Port;

        // The port is this proxy's from now on, and refuses connections until it begins.
        _reserved = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _reserved.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        Port = ((IPEndPoint)_reserved.LocalEndPoint!).Port;
        Uri = $"amqp://guest:guest@127.0.0.1:{Port}/";
    }

    public int Port { get; }

    public string Uri { get; }

    /// <summary>How many acknowledgements the intake has sent.</summary>
    public int Acknowledged => Volatile.Read(ref _acknowledged);

    /// <summary>How many consumers the intake has cancelled.</summary>
    public int Cancelled => Volatile.Read(ref _cancelled);

    /// <summary>How many deliveries the broker marked as repeated.</summary>
    public int Redelivered => Volatile.Read(ref _redelivered);

    /// <summary>Called with each acknowledgement, before it is passed on.</summary>
    public Action? OnAcknowledge { get; set; }

    /// <summary>Acknowledgements of first deliveries do not arrive; after so many of them the connection is cut. 0: all arrive.</summary>
    public int CutsAfterFirstDeliveries { get; set; }

    public void Begin()
    {
        _reserved.Dispose();
        _listener = new TcpListener(IPAddress.Loopback, Port);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>Cuts all connections.</summary>
    public void Cut()
    {
        foreach (var link in _links.Keys)
        {
            link.Dispose();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _closed.CancelAsync();
        _listener?.Dispose();
        _reserved.Dispose();
        Cut();
        await _accepting;
        _closed.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener!.AcceptTcpClientAsync(_closed.Token);
                var broker = new TcpClient();
                try
                {
                    await broker.ConnectAsync(IPAddress.Loopback, _brokerPort, _closed.Token);
                }
                catch (SocketException)
                {
                    client.Dispose();
                    continue;
                }

                var link = new Link(client, broker);
                _links[link] = 0;
                _ = PumpAsync(link, fromClient: true);
                _ = PumpAsync(link, fromClient: false);
            }
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task PumpAsync(Link link, bool fromClient)
    {
        try
        {
            var (from, to) = fromClient ? (link.Client.GetStream(), link.Broker.GetStream()) : (link.Broker.GetStream(), link.Client.GetStream());
            if (fromClient)
            {
                var header = new byte[8];
                await from.ReadExactlyAsync(header);
                await to.WriteAsync(header);
            }

            var head = new byte[7];
            while (true)
            {
                await from.ReadExactlyAsync(head);
                var frame = new byte[7 + BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(3)) + 1];
                head.CopyTo(frame, 0);
                await from.ReadExactlyAsync(frame.AsMemory(7));
                if (Passes(link, frame, fromClient))
                {
                    await to.WriteAsync(frame);
                }
            }
        }
        catch (Exception failure) when (failure is IOException or ObjectDisposedException or SocketException or InvalidOperationException)
        {
            link.Dispose();
            _links.TryRemove(link, out _);
        }
    }

    private bool Passes(Link link, byte[] frame, bool fromClient)
    {
        if (frame[0] != 1 || BinaryPrimitives.ReadUInt16BigEndian(frame.AsSpan(7)) != Basic)
        {
            return true;
        }

        var method = BinaryPrimitives.ReadUInt16BigEndian(frame.AsSpan(9));
        if (!fromClient && method == Deliver)
        {
            var tag = 12 + frame[11];
            if (frame[tag + 8] == 1)
            {
                Interlocked.Increment(ref _redelivered);
                link.Redelivered[BinaryPrimitives.ReadUInt64BigEndian(frame.AsSpan(tag))] = 0;
            }
        }
        else if (fromClient && method == Cancel)
        {
            Interlocked.Increment(ref _cancelled);
        }
        else if (fromClient && method == Acknowledge)
        {
            Assert.Equal(0, frame[19]);
            OnAcknowledge?.Invoke();
            Interlocked.Increment(ref _acknowledged);
            if (CutsAfterFirstDeliveries is > 0 and var most && !link.Redelivered.ContainsKey(BinaryPrimitives.ReadUInt64BigEndian(frame.AsSpan(11))))
            {
                if (++link.Withheld == most)
                {
                    link.Dispose();
                }

                return false;
            }
        }

        return true;
    }

    private sealed class Link(TcpClient client, TcpClient broker) : IDisposable
    {
        public TcpClient Client => client;

        public TcpClient Broker => broker;

        public ConcurrentDictionary<ulong, byte> Redelivered { get; } = new();

        public int Withheld { get; set; }

        public void Dispose()
        {
            client.Dispose();
            broker.Dispose();
        }
    }
}
