using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Load;

/// <summary>Many streamed responses at once, over a connection each: read by one thread as fast as they come, or not at all.</summary>
internal sealed unsafe class StreamCrowd : IDisposable
{
    private const int MostEvents = 512;
    private const int BufferLength = 256 * 1024;
    private const int PatienceMilliseconds = 20;

    private readonly List<Socket> _sockets = [];
    private readonly int _epoll = Epoll.Create(0);

    /// <summary>Connects and asks, one after the other.</summary>
    /// <param name="server">Whom.</param>
    /// <param name="path">For an endless stream.</param>
    /// <param name="streams">How many.</param>
    /// <param name="receiveBuffer">What the kernel keeps for each of the readers, in bytes; null leaves that to it.</param>
    public StreamCrowd(IPEndPoint server, string path, int streams, int? receiveBuffer = null)
    {
        var request = RequestSet.GetBytes(path);
        for (var i = 0; i < streams; i++)
        {
            var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            _sockets.Add(socket);
            if (receiveBuffer is { } size)
                socket.ReceiveBufferSize = size;
            socket.Connect(server);
            socket.Send(request);
            socket.Blocking = false;
            Epoll.Watch(_epoll, Epoll.Add, (int)socket.Handle, Epoll.In, i);
        }
    }

    /// <summary>Reads on its own thread until the token is cancelled, and returns the number of bytes read.</summary>
    public Task<long> ReadAsync(CancellationToken enough) =>
        Task.Factory.StartNew(() => Read(enough), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>Leaves, all at once and without a goodbye.</summary>
    public void Dispose()
    {
        foreach (var socket in _sockets)
        {
            socket.LingerState = new LingerOption(true, 0);
            socket.Dispose();
        }

        _ = Epoll.Close(_epoll);
    }

    private long Read(CancellationToken enough)
    {
        var events = (byte*)NativeMemory.Alloc((nuint)(MostEvents * Epoll.EventSize));
        var buffer = (byte*)NativeMemory.Alloc(BufferLength);
        try
        {
            var bytes = 0L;
            while (!enough.IsCancellationRequested)
            {
                var count = Epoll.Wait(_epoll, events, MostEvents, PatienceMilliseconds);
                for (var i = 0; i < count; i++)
                    bytes += Math.Max(0, (long)Epoll.Receive((int)_sockets[Epoll.DataOf(events, i)].Handle, buffer, BufferLength, 0));
            }

            return bytes;
        }
        finally
        {
            NativeMemory.Free(events);
            NativeMemory.Free(buffer);
        }
    }
}
