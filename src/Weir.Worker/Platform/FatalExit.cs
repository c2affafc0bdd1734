using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Channels;

namespace Weir.Worker.Platform;

/// <summary>
/// The ends of a worker that nothing can wait for: the host is gone, the host broke the protocol, or memory ran out.
/// The first one counts. Used concurrently.
/// </summary>
internal sealed class FatalExit(DataSendQueue data, IProcessExit process)
{
    /// <summary>How long the host may take to read why.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private int _ending;

    /// <summary>Set before anything is read; the control channel's output calls back in here.</summary>
    public ControlSendQueue Control { get; set; } = null!;

    public void HostGone()
    {
        if (Begin())
        {
            process.Abort(ExitCode.ChannelEnded);
        }
    }

    public void HostBroke(FrameException fault)
    {
        if (Begin())
        {
            Control.Finish(new ByePayload(ByeReason.ProtocolViolation, fault.Message), Patience);
            process.Abort(ExitCode.ProtocolViolation);
        }
    }

    /// <summary>After out of memory a worker never goes on: a catch block that went on would run in a runtime nobody vouches for.</summary>
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
            // Telling may need memory, or a host. Ending needs neither.
        }

        process.Abort(ExitCode.OutOfMemory);
    }

    /// <summary>Whether the end of a channel is expected: the worker is on its way out by itself.</summary>
    public bool Begin() => Interlocked.Exchange(ref _ending, 1) == 0;
}
