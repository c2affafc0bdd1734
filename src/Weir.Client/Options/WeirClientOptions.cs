namespace Weir;

/// <summary>How a client calls. Changes after a client was made have no effect on it, or an undefined one; share it only when it is complete.</summary>
public sealed class WeirClientOptions
{
    /// <summary>
    /// How long a response may be silent once it has begun; default 60 seconds, <c>null</c> for no limit. A stream of any length may
    /// last: its items and the server's heartbeats (every 15 seconds, unless the server changes that) start the time again. Beyond it a stream
    /// throws <see cref="StreamInterruptedException"/>, a call, and an asynchronous read of a <see cref="Stream"/>, <see cref="TimeoutException"/>. Until a response begins, <see cref="HttpClient.Timeout"/> applies.
    /// </summary>
    public TimeSpan? IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long a call may take in total, streams included; <c>null</c>, the default, for no limit. The server gets it as <c>Weir-Deadline-Ms</c> and
    /// stops the operation; the caller gets <see cref="DeadlineExceededException"/>. Inside an operation of Weir its own deadline applies too, and the earlier one counts.
    /// </summary>
    public TimeSpan? Deadline { get; set; }

    /// <summary>
    /// The largest result of a call, in bytes as they are received; default 268,435,456 (256 MB), <c>null</c> for no limit but that of an array. A larger one throws
    /// <see cref="UnexpectedResponseException"/> before it is read to its end. While it is read it takes up to three times as much memory. A result that is
    /// declared as a <see cref="Stream"/> has no limit.
    /// </summary>
    public int? MaxResultBytes { get; set; } = 256 * 1024 * 1024;

    /// <summary>
    /// The largest item of a stream, in bytes of JSON; default 67,108,864 (64 MB), <c>null</c> for no limit but that of an array. A larger one throws
    /// <see cref="UnexpectedResponseException"/> before it is read to its end. Of a problem at most 1 MB is read, in any case.
    /// </summary>
    public int? MaxItemBytes { get; set; } = 64 * 1024 * 1024;

    /// <summary>
    /// How often a stream marked <see cref="ResumableAttribute"/> is continued after a cut without receiving an item in between; default 10, <c>null</c> for no
    /// limit, 0 for never. Between two attempts the client waits 0.1 to 20 seconds, longer each time, or as long as the server says, which is 0.1 to 60 seconds. Beyond it the stream throws
    /// <see cref="StreamInterruptedException"/>.
    /// </summary>
    public int? MaxResumeAttempts { get; set; } = 10;

#if NET
    /// <summary>
    /// Where the server has its jobs (<c>MapWeirJobs</c>), for handles that are made of an id; default <c>$jobs</c>, below <see cref="HttpClient.BaseAddress"/>. With a slash at its beginning it is a path of the host:
    /// <c>/$jobs</c>. Handles of <c>EnqueueAsync</c> do not need it: the server says where the job is.
    /// </summary>
    public string JobsPath { get; set; } = "$jobs";
#endif

    /// <summary>
    /// Called when the state of a stream changes; <c>null</c>, the default, for nothing. It runs on the stream's own flow, between two items, and may be called
    /// concurrently for several streams. What it throws ends the stream.
    /// </summary>
    public Action<StreamState>? StreamStateChanged { get; set; }

    internal void Check()
    {
        Require(nameof(IdleTimeout), IdleTimeout);
        Require(nameof(Deadline), Deadline);
        if (MaxResumeAttempts < 0)
        {
            throw new ArgumentException($"WeirClientOptions.{nameof(MaxResumeAttempts)} is {MaxResumeAttempts}; it must be 0 or more, or null for no limit.");
        }

        RequirePositive(nameof(MaxResultBytes), MaxResultBytes);
        RequirePositive(nameof(MaxItemBytes), MaxItemBytes);
#if NET
        if (string.IsNullOrWhiteSpace(JobsPath) || JobsPath.IndexOfAny(['?', '#', ':', '\\']) >= 0)
        {
            throw new ArgumentException($"WeirClientOptions.{nameof(JobsPath)} is '{JobsPath}'; it must be a path such as $jobs or /shop/$jobs.");
        }
#endif
    }

#if NET
    /// <summary>The same for requests that wait for a job: the deadline of a call is none of theirs.</summary>
    internal WeirClientOptions WithoutDeadline()
    {
        var options = (WeirClientOptions)MemberwiseClone();
        options.Deadline = null;
        return options;
    }
#endif

    private static void RequirePositive(string name, int? bytes)
    {
        if (bytes <= 0)
        {
            throw new ArgumentException($"WeirClientOptions.{name} is {bytes}; it must be positive, or null for no limit.");
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
