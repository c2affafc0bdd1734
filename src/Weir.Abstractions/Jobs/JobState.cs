namespace Weir;

/// <summary>Where a job is. The numbers are stored.</summary>
public enum JobState
{
    /// <summary>It waits for a time.</summary>
    Scheduled = 1,

    /// <summary>It waits for a place to run.</summary>
    Ready = 2,

    /// <summary>It was started.</summary>
    Running = 3,

    /// <summary>It ended, and has a result.</summary>
    Succeeded = 4,

    /// <summary>It ended without success; <see cref="JobReason"/> says why.</summary>
    Failed = 5,

    /// <summary>It was cancelled, and its code has ended.</summary>
    Cancelled = 6,

    /// <summary>It was not started in time.</summary>
    Expired = 7,
}
