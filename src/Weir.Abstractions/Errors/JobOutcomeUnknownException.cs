namespace Weir;

/// <summary>
/// The store did not say whether it has accepted a job: it may run, or not exist. Ask for it by <see cref="Id"/>, or submit it again with the same
/// <see cref="JobOptions.IdempotencyKey"/>.
/// </summary>
public sealed class JobOutcomeUnknownException : WeirException
{
    /// <summary>Describes a submission whose outcome is not known.</summary>
    /// <param name="id">The job's id, if it exists.</param>
    /// <param name="inner">What the store reported.</param>
    public JobOutcomeUnknownException(Guid id, Exception inner)
        : base(
            CallStatus.HandlerFailed,
            WeirCodes.JobOutcomeUnknown,
            $"The store did not say whether it has accepted job {id}: ask for it by its id, or submit it again with the same IdempotencyKey. {inner?.Message} See {WeirCodes.JobOutcomeUnknown}.",
            inner) => Id = id;

    /// <summary>The job, if it exists.</summary>
    public Guid Id { get; }
}
