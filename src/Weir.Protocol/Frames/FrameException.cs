namespace Weir.Protocol.Frames;

/// <summary>
/// The other side sent something the protocol does not allow. The channel cannot be read any further: a host converts
/// this exception to <see cref="ProtocolViolationException"/>, a worker sends BYE and exits.
/// </summary>
public sealed class FrameException : Exception
{
    /// <summary>Creates it with a reason.</summary>
    /// <param name="fault">The reason.</param>
    /// <param name="detail">What was read and what would have been right; never payload bytes, they may be secret.</param>
    public FrameException(FrameFault fault, string detail)
        : base($"{fault}: {detail}") => Fault = fault;

    /// <summary>The reason.</summary>
    public FrameFault Fault { get; }
}
