using Weir.Protocol.Frames;

namespace Weir.Protocol.Flow;

/// <summary>Checks that call ids come as 1, 2, 3, …, so that a lost or an invented frame is detected at once.</summary>
/// <remarks>Not thread-safe: the channel's reader owns it.</remarks>
internal struct SequenceCheck
{
    /// <summary>The last id accepted; 0 before the first.</summary>
    public ulong Last { get; private set; }

    /// <summary>Accepts the next id.</summary>
    /// <param name="callId">The id of a CALL.</param>
    /// <exception cref="FrameException">It is not the one after <see cref="Last"/>.</exception>
    public void Accept(ulong callId)
    {
        if (callId != Last + 1)
        {
            throw new FrameException(FrameError.SequenceGap, $"call {callId} follows call {Last}");
        }

        Last = callId;
    }
}
