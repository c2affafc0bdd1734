namespace Weir.Protocol.Frames;

/// <summary>
/// The other side sent something the protocol does not allow. The channel cannot be read any further: a host converts
/// this exception to <see cref="ProtocolViolationException"/>, a worker sends BYE and exits.
/// </summary>
internal sealed class FrameException : Exception
{
    /// <summary>Creates it with a reason.</summary>
    /// <param name="error">The reason.</param>
    /// <param name="detail">What was read and what would have been right; never payload bytes, they may be secret.</param>
    public FrameException(FrameError error, string detail)
        : base($"{error}: {detail}") => Error = error;

    /// <summary>The reason.</summary>
    public FrameError Error { get; }
}
