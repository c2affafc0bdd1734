using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Weir.Worker.Channels;

namespace Weir.Worker.Platform;

/// <summary>An inherited socket. It stays open until the process ends.</summary>
internal unsafe class WorkerSocketChannel : IChannel
{
    private readonly int _socket;

    /// <param name="socket">A descriptor of the protocol; child processes must not inherit it.</param>
    public WorkerSocketChannel(int socket)
    {
        _socket = socket;
        if (LibC.DescriptorControl(socket, LibC.SetDescriptorFlags, LibC.CloseOnExec) != 0)
        {
            throw NotOpen(socket);
        }
    }

    protected int Descriptor => _socket;

    public virtual int Receive(Span<byte> buffer)
    {
        fixed (byte* start = buffer)
        {
            while (true)
            {
                // Poll waits, not recv: on a Unix socket a waiting recv is woken, too, when the host reads what this side sent.
                var entry = new LibC.PollEntry { Descriptor = _socket, Wanted = LibC.Readable };
                var count = LibC.Poll(&entry, 1, -1) < 0 ? -1 : LibC.Receive(_socket, start, (nuint)buffer.Length, 0);
                if (count >= 0)
                {
                    return (int)count;
                }

                // A reset counts as an end; an interruption by a signal (a child process of user code ended) is ignored.
                if (Marshal.GetLastPInvokeError() != LibC.Interrupted)
                {
                    return 0;
                }
            }
        }
    }

    public void Send(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[Send(bytes, LibC.NoSignal)..];
        }
    }

    public int TrySend(ReadOnlySpan<byte> bytes) => Send(bytes, LibC.NoSignal | LibC.DoNotWait);

    public void EndSending() => LibC.Shutdown(_socket, LibC.ShutdownSending);

    // Not inlined, as the constructor would load the types that interpolate a text.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static InvalidOperationException NotOpen(int socket) =>
        new($"Descriptor {socket} is not open (errno {Marshal.GetLastPInvokeError()}); a Weir host passes its channels as descriptors 3 and 4.");

    private int Send(ReadOnlySpan<byte> bytes, int flags)
    {
        fixed (byte* start = bytes)
        {
            while (true)
            {
                var count = LibC.Send(_socket, start, (nuint)bytes.Length, flags);
                if (count >= 0)
                {
                    return (int)count;
                }

                switch (Marshal.GetLastPInvokeError())
                {
                    case LibC.Interrupted:
                        continue;
                    case LibC.TryAgain when (flags & LibC.DoNotWait) != 0:
                        return 0;
                    default:
                        throw new ChannelEndedException();
                }
            }
        }
    }
}
