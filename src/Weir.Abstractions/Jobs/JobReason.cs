namespace Weir;

/// <summary>Why a job failed. The numbers are stored.</summary>
public enum JobReason
{
    /// <summary>It did not fail.</summary>
    None = 0,

    /// <summary>The operation threw, and no attempt is left.</summary>
    Exception = 1,

    /// <summary>The worker that ran it ended.</summary>
    Crashed = 2,

    /// <summary>The process that ran it is gone: the job may have run, or not. A presumption: an outcome that comes later replaces it once.</summary>
    Lost = 3,

    /// <summary>It took longer than its timeout.</summary>
    Timeout = 4,

    /// <summary>The host stopped before it was done.</summary>
    Interrupted = 5,

    /// <summary>No process understands its arguments.</summary>
    Arguments = 6,

    /// <summary>Calls like it made too many workers fail.</summary>
    Quarantined = 7,
}
