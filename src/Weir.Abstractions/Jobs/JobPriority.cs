namespace Weir;

/// <summary>
/// How a job is preferred to others of its kind that wait: of 13 starts, 8 are of high, 4 of normal and 1 of low priority, where all of them have jobs. None waits until another one has no more. The
/// numbers are stored.
/// </summary>
public enum JobPriority
{
    /// <summary>For what can wait: 1 of 13 starts.</summary>
    Low = -1,

    /// <summary>4 of 13 starts.</summary>
    Normal = 0,

    /// <summary>For what a person or another program waits for: 8 of 13 starts.</summary>
    High = 1,
}
