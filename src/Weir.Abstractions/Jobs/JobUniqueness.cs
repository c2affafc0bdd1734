namespace Weir;

/// <summary>How long an idempotency key stands for its job. The numbers are stored.</summary>
public enum JobUniqueness
{
    /// <summary>
    /// While the job is kept, at least one hour after its end: a repeated submission returns the same job. With other arguments it is a <see cref="JobKeyReusedException"/>.
    /// </summary>
    Retention = 0,

    /// <summary>Until the job has ended: at most one job with the key waits or runs, and a submission returns it, whatever the arguments. Afterwards the key is free.</summary>
    Ended = 1,
}
