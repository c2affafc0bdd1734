namespace Weir;

/// <summary>Which jobs to list: those that meet all conditions, the last submitted first.</summary>
public sealed record JobQuery
{
    /// <summary>Only of this kind; <c>null</c>, the default, for all.</summary>
    public string? Kind { get; init; }

    /// <summary>Only in this state; <c>null</c>, the default, for all.</summary>
    public JobState? State { get; init; }

    /// <summary>Only with this key; <c>null</c>, the default, for all.</summary>
    public string? Key { get; init; }

    /// <summary>Only what was submitted before this job: for the next page, the last one of the page before. <c>null</c>, the default, begins with the last submitted.</summary>
    public Guid? Before { get; init; }

    /// <summary>How many at most, 1 to 1,000; default 100.</summary>
    public int Limit { get; init; } = 100;
}
