using System.Runtime.InteropServices;
using Weir.Protocol;

namespace Weir.Worker.Platform;

/// <summary>The data channel, whose reader polls for a moment before it sleeps, where the host lets it.</summary>
/// <param name="socket">The data channel.</param>
/// <param name="memory">Says whether it may.</param>
/// <param name="time">The clock.</param>
internal sealed unsafe class PollingSocketChannel(int socket, SharedMemory memory, TimeProvider time) : SocketChannel(socket)
{
    private SpinRule _rule = new(time.TimestampFrequency);

    public override int Receive(Span<byte> buffer)
    {
        if (memory.MaySpin && _rule.Begin(time.GetTimestamp()))
        {
            do
            {
                if (TryReceive(buffer) is var count and >= 0)
                {
                    return count;
                }

                _ = LibC.YieldProcessor();
            }
            while (_rule.GoOn(time.GetTimestamp()));
        }

        return base.Receive(buffer);
    }

    // -1: nothing yet.
    private int TryReceive(Span<byte> buffer)
    {
        fixed (byte* start = buffer)
        {
            var count = LibC.Receive(Descriptor, start, (nuint)buffer.Length, LibC.DoNotWait);
            return count >= 0 ? (int)count : Marshal.GetLastPInvokeError() is LibC.TryAgain or LibC.Interrupted ? -1 : 0;
        }
    }
}
