using System.Net.Sockets;
using Weir.Protocol;

namespace Weir.ScriptedWorker;

/// <summary>One inherited channel: frames in, frames and raw bytes out.</summary>
internal sealed class Channel(int descriptor, FrameRoute route) : IDisposable
{
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
                read = _socket.Receive(_frames.GetSpan());
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
                _out.Consume(_socket.Send(bytes.Span));
            }
        }
    }

    public void SendBytes(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[_socket.Send(bytes)..];
            }
        }
    }

    public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    public void Dispose()
    {
        _socket.Dispose();
        _frames.Dispose();
        _out.Dispose();
    }
}
