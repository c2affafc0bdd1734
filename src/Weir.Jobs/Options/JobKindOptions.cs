namespace Weir;

/// <summary>The options of one kind of job. What is not set is what its <see cref="JobAttribute"/> says.</summary>
public sealed class JobKindOptions
{
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

    /// <summary>Whether <see cref="Timeout"/> was set: <c>null</c> means no limit then.</summary>
    internal bool IsTimeoutSet { get; private set; }
}
