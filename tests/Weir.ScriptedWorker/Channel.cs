using System.Net.Sockets;
using Weir.Protocol.Frames;

namespace Weir.ScriptedWorker;

/// <summary>One inherited channel: it receives frames and sends frames and raw bytes, through shared memory if there is any.</summary>
internal sealed class Channel(int descriptor, FrameRoute route, SharedMemory? region = null) : IDisposable
{
    private static readonly byte[] WakeByte = [1];

    private readonly Socket _socket = new(new SafeSocketHandle(descriptor, ownsHandle: true));
    private readonly FrameReader _frames = new(route);
    private readonly FrameWriter _out = new();
    private readonly Lock _gate = new();

    public bool TryNext(out Frame frame)
    {
        while (!_frames.TryRead(out frame))
        {
            int read;
            try
            {
                read = region is null ? _socket.Receive(_frames.GetSpan()) : Take(region);
            }
            catch (SocketException)
            {
                return false;
            }

            if (read == 0)
            {
                return false;
            }

            _frames.Advance(read);
        }

        return true;
    }

    public void Send(Action<FrameWriter> write)
    {
        lock (_gate)
        {
            write(_out);
            while (_out.TryPeek(out var bytes))
            {
                _out.Consume(SendSome(bytes.Span));
            }
        }
    }

    /// <summary>Wakes the host.</summary>
    public void Wake() => _socket.Send(WakeByte);

    public void SendBytes(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[SendSome(bytes)..];
            }
        }
    }

    private int Take(SharedMemory region)
    {
        Span<byte> wakeBytes = stackalloc byte[64];
        while (true)
        {
            var taken = region.Take(_frames.GetSpan(), out var isHostWoken);
            if (isHostWoken)
            {
                Wake();
            }

            if (taken > 0 || (region.TrySleep() && _socket.Receive(wakeBytes) == 0))
            {
                return taken;
            }
        }
    }

    private int SendSome(ReadOnlySpan<byte> bytes)
    {
        if (region is null)
        {
            return _socket.Send(bytes);
        }

        region.Add(bytes);
        if (region.Send())
        {
            Wake();
        }

        return bytes.Length;
    }

    public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    public void Dispose()
    {
        _socket.Dispose();
        _frames.Dispose();
        _out.Dispose();
    }
}
