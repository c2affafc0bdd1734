namespace Weir;

/// <summary>A job that was submitted in a transaction does not exist: the transaction has not committed, or was rolled back. <see cref="IJobs{T}.In"/>.</summary>
public sealed class JobNotCommittedException : WeirException
{
    /// <summary>Describes a job whose transaction has not committed.</summary>
    /// <param name="id">The job, if its transaction commits.</param>
    public JobNotCommittedException(Guid id)
        : base(
            CallStatus.HandlerFailed,
            WeirCodes.JobNotCommitted,
            $"Job {id} does not exist: it was submitted in a transaction that has not committed, or was rolled back. Commit it, and then wait for the job. See {WeirCodes.JobNotCommitted}.") => Id = id;

    /// <summary>The job, if its transaction commits.</summary>
    public Guid Id { get; }
}
