using System.Runtime.InteropServices;

namespace Weir.Worker.Platform;

/// <summary>
/// The control channel, whose reader also detects the end of the data channel: the thread that reads data may run user code
/// without a limit.
/// </summary>
/// <param name="socket">The control channel.</param>
/// <param name="watched">The data channel.</param>
internal sealed unsafe class ControlSocketChannel(int socket, int watched) : WorkerSocketChannel(socket)
{
    private const short Ended = LibC.PeerEnded | LibC.HungUp | LibC.Error;

    public override int Receive(Span<byte> buffer)
    {
        var entries = stackalloc LibC.PollEntry[2];
        entries[0] = new() { Descriptor = Descriptor, Wanted = LibC.Readable };
        entries[1] = new() { Descriptor = watched, Wanted = LibC.PeerEnded };
        while (true)
        {
            if (LibC.Poll(entries, 2, -1) < 0)
            {
                if (Marshal.GetLastPInvokeError() == LibC.Interrupted)
                {
                    continue;
                }

                return 0;
            }

            // Frames of the control channel come first; its own end is read there, too.
            if (entries[0].Happened != 0)
            {
                return base.Receive(buffer);
            }

            if ((entries[1].Happened & Ended) != 0)
            {
                return 0;
            }
        }
    }
}
