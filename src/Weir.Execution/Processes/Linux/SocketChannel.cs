using Weir.Execution.Processes.Linux.Native;

namespace Weir.Execution.Processes.Linux;

/// <summary>The host's end of a socket pair.</summary>
internal sealed unsafe class SocketChannel(Descriptor socket) : WorkerChannel
{
    /// <summary>For a watch of the attendant.</summary>
    public Descriptor Socket => socket;

    public override int Receive(Span<byte> buffer)
    {
        using var scope = socket.Use();
        fixed (byte* start = buffer)
        {
            while (true)
            {
                var read = SocketCalls.Receive(socket.Number, start, (nuint)buffer.Length, 0);
                if (read >= 0)
                {
                    return (int)read;
                }

                // A reset is the end: the worker died with bytes of ours unread, after everything it sent was read.
                if (Errno.Last != Errno.Interrupted)
                {
                    return 0;
                }
            }
        }
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        using var scope = socket.Use();
        fixed (byte* start = bytes)
        {
            while (true)
            {
                var sent = SocketCalls.Send(socket.Number, start, (nuint)bytes.Length, SocketCalls.NoSignal | SocketCalls.DoNotWait);
                if (sent >= 0)
                {
                    return (int)sent;
                }

                if (Errno.Last != Errno.Interrupted)
                {
                    return Errno.Last == Errno.TryAgain ? 0 : -1;
                }
            }
        }
    }

    public override void End()
    {
        try
        {
            using var scope = socket.Use();
            _ = SocketCalls.Shutdown(socket.Number, SocketCalls.ShutdownBoth);
        }
        catch (ObjectDisposedException)
        {
            // Ended long ago.
        }
    }

    public override void Dispose() => socket.Dispose();
}
