using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Channels;

namespace Weir.Worker.Platform;

/// <summary>
/// The exits of a worker that wait for no call: the host is gone, the host broke the protocol, or memory ran out.
/// Only the first one has an effect. Used concurrently.
/// </summary>
internal sealed class FatalExit(DataOutput data, IProcessExit process)
{
    /// <summary>How long the host may take to read the reason.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private int _ending;

    /// <summary>Set before anything is read; this queue in turn calls <see cref="HostGone"/>.</summary>
    public ControlOutput Control { get; set; } = null!;

    public void HostGone()
    {
        if (Begin())
        {
            process.Abort(ExitCode.ChannelEnded);
        }
    }

    public void HostBroke(FrameException violation)
    {
        if (Begin())
        {
            Control.Finish(new ByePayload(ByeReason.ProtocolViolation, violation.Message), Patience);
            process.Abort(ExitCode.ProtocolViolation);
        }
    }

    /// <summary>After out of memory a worker never continues: a catch block would run in a runtime whose state is not reliable.</summary>
    public void OutOfMemory(ulong callId)
    {
        if (!Begin())
        {
            return;
        }

        try
        {
            data.TrySendNow(new FrameHeader(FrameType.Error, FrameFlags.None, callId, 1), [(byte)ErrorKind.OutOfMemory]);
            Control.Finish(new ByePayload(ByeReason.OutOfMemory, ""), Patience);
        }
        catch (Exception)
        {
            // Reporting may need memory, or a host. Exiting needs neither.
        }

        process.Abort(ExitCode.OutOfMemory);
    }

    /// <summary>Begins the exit: <c>true</c> for the first caller, which then ends the process; later callers must do nothing.</summary>
    public bool Begin() => Interlocked.Exchange(ref _ending, 1) == 0;
}
