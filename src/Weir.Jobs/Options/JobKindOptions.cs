namespace Weir;

/// <summary>The options of one kind of job. What is not set is what its <see cref="JobAttribute"/> says.</summary>
public sealed class JobKindOptions
{
    /// <summary>What <see cref="MaxWaiting"/> is unless it is set.</summary>
    internal const int DefaultMaxWaiting = 1_000_000;

    /// <summary>How often a job is tried when its operation throws, 1 to 1,000; <c>null</c>, the default, is what the attribute says.</summary>
    public int? Attempts { get; set; }

    /// <summary>How long one attempt may take, longer than zero and at most 49 days; <c>null</c> means no limit. What the attribute says, unless it is set.</summary>
    public TimeSpan? Timeout
    {
        get;
        set
        {
            field = value;
            IsTimeoutSet = true;
        }
    }

    /// <summary>The pause after the first failure, zero or more; <c>null</c>, the default, is what the attribute says.</summary>
    public TimeSpan? Backoff { get; set; }

    /// <summary>The longest pause, at least <see cref="Backoff"/>; <c>null</c>, the default, is what the attribute says.</summary>
    public TimeSpan? MaxBackoff { get; set; }

    /// <summary>How many run at once in this process, 1 or more; <c>null</c>, the default, is what the attribute says.</summary>
    public int? Concurrency { get; set; }

    /// <summary>
    /// How many jobs of the kind with one key run at once, in all processes of the store, 1 or more; <c>null</c> means no limit. What the attribute says, unless it is set. Keys that have so many are passed over.
    /// </summary>
    public int? MaxPerKey
    {
        get;
        set
        {
            field = value;
            IsMaxPerKeySet = true;
        }
    }

    /// <summary>How many jobs of the kind run at once, in all processes of the store, 1 or more; <c>null</c> means no limit. What the attribute says, unless it is set.</summary>
    public int? MaxTotal
    {
        get;
        set
        {
            field = value;
            IsMaxTotalSet = true;
        }
    }

    /// <summary>
    /// How many jobs of the kind may wait, 0 or more; default 1,000,000. Where more do, a submission is a <see cref="CallRejectedException"/> (WEIR2044) and nothing is stored. About: the store counts at most
    /// every 10 s. Jobs of schedules, and those that wait for another attempt, are not refused. <c>null</c> means no limit.
    /// </summary>
    public int? MaxWaiting { get; set; } = DefaultMaxWaiting;

    /// <summary>Whether <see cref="MaxPerKey"/> was set.</summary>
    internal bool IsMaxPerKeySet { get; private set; }

    /// <summary>Whether <see cref="MaxTotal"/> was set.</summary>
    internal bool IsMaxTotalSet { get; private set; }

    /// <summary>Whether <see cref="Timeout"/> was set: <c>null</c> means no limit then.</summary>
    internal bool IsTimeoutSet { get; private set; }
}
