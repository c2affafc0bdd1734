namespace Weir;

/// <summary>How a client calls. Changes after a client was made have no effect on it, or an undefined one; share it only when it is complete.</summary>
public sealed class WeirClientOptions
{
    /// <summary>
    /// How long a response may be silent once it has begun; default 60 seconds, <c>null</c> for no limit. A stream of any length may
    /// last: its items and the server's heartbeats (every 15 seconds, unless the server changes that) start the time again. Beyond it a stream
    /// throws <see cref="StreamInterruptedException"/>, a call <see cref="TimeoutException"/>. Until a response begins, <see cref="HttpClient.Timeout"/> applies.
    /// </summary>
    public TimeSpan? IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long a call may take in total, streams included; <c>null</c>, the default, for no limit. The server gets it as <c>Weir-Deadline-Ms</c> and
    /// stops the operation; the caller gets <see cref="DeadlineExceededException"/>. Inside an operation of Weir its own deadline applies too, and the earlier one counts.
    /// </summary>
    public TimeSpan? Deadline { get; set; }

    /// <summary>
    /// The largest result, and the largest item of a stream, in bytes of JSON; <c>null</c>, the default, for no limit but memory. A larger one throws
    /// <see cref="UnexpectedResponseException"/>. Results of bytes that are read as a <see cref="Stream"/> have no limit.
    /// </summary>
    public int? MaxItemBytes { get; set; }

    internal void Check()
    {
        Require(nameof(IdleTimeout), IdleTimeout);
        Require(nameof(Deadline), Deadline);
        if (MaxItemBytes <= 0)
        {
            throw new ArgumentException($"WeirClientOptions.{nameof(MaxItemBytes)} is {MaxItemBytes}; it must be positive, or null for no limit.");
        }
    }

    private static void Require(string name, TimeSpan? value)
    {
        if (value is { } span && (span <= TimeSpan.Zero || span.TotalMilliseconds > int.MaxValue))
        {
            throw new ArgumentException($"WeirClientOptions.{name} is {span}; it must be positive and at most {int.MaxValue} milliseconds, or null for no limit.");
        }
    }
}
