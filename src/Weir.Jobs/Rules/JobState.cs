namespace Weir.Jobs.Rules;

/// <summary>Where a job is. The numbers are stored.</summary>
internal enum JobState : byte
{
    /// <summary>It waits for a time.</summary>
    Scheduled = 1,

    /// <summary>It waits for a slot.</summary>
    Ready = 2,

    /// <summary>A replica has claimed it.</summary>
    Running = 3,

    Succeeded = 4,

    /// <summary>It ended without success; <see cref="JobReason"/> says why.</summary>
    Failed = 5,

    Cancelled = 6,

    /// <summary>It was not started in time.</summary>
    Expired = 7,
}
