using System.Net;
using System.Net.Sockets;

namespace Weir.Load.Tests;

/// <summary>Answers every request at once, but stands still once for a while.</summary>
internal sealed class StallingServer : IDisposable
{
    private static readonly byte[] Response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"u8.ToArray();

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly TimeSpan _stall;
    private readonly int _stallAt;
    private readonly Lock _one = new();
    private readonly List<Socket> _accepted = [];
    private int _answered;

    public StallingServer(int stallAt, TimeSpan stall)
    {
        (_stallAt, _stall) = (stallAt, stall);
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        new Thread(Accept) { IsBackground = true }.Start();
    }

    /// <summary>The request instead of whose answer it goes away; zero for never.</summary>
    public int LeavesAt { get; init; }

    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndPoint!;

    public int Connections
    {
        get
        {
            lock (_accepted)
                return _accepted.Count;
        }
    }

    /// <summary>Goes away, and every connection with it.</summary>
    public void Dispose()
    {
        _listener.Dispose();
        lock (_accepted)
            _accepted.ForEach(socket => socket.Dispose());
    }

    private void Accept()
    {
        try
        {
            while (true)
            {
                var socket = _listener.Accept();
                lock (_accepted)
                    _accepted.Add(socket);
                new Thread(() => Serve(socket)) { IsBackground = true }.Start();
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Closed: the test is over.
        }
    }

    private void Serve(Socket socket)
    {
        try
        {
            Answer(socket);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Either side is gone.
        }
    }

    private void Answer(Socket socket)
    {
        var buffer = new byte[64 * 1024];
        while (socket.Receive(buffer) is > 0 and var length)
        {
            // Several requests may have come at once.
            var requests = buffer.AsSpan(0, length).Count((byte)'G');
            for (var i = 0; i < requests; i++)
            {
                bool leaves;
                lock (_one)
                {
                    if (++_answered == _stallAt)
                        Thread.Sleep(_stall);
                    leaves = _answered == LeavesAt;
                }

                if (leaves)
                {
                    Dispose();
                    return;
                }

                socket.Send(Response);
            }
        }
    }
}
