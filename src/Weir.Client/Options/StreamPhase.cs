namespace Weir;

/// <summary>What the client of a stream is doing.</summary>
public enum StreamPhase
{
    /// <summary>The first request is sent, and no response has begun.</summary>
    Connecting,

    /// <summary>Items arrive.</summary>
    Live,

    /// <summary>The connection was cut, or the server asked for another one: the client waits, and connects again.</summary>
    Resuming,

    /// <summary>The stream is over: complete, failed, or left by its reader.</summary>
    Ended,
}
