namespace Weir;

/// <summary>A job ended without an answer of its operation, or what is asked of it is not possible: <see cref="State"/> and <see cref="Reason"/> say which.</summary>
public sealed class JobException : WeirException
{
    /// <summary>Describes a job that has no answer.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="state">Where it is; <c>null</c> where there is no such job.</param>
    /// <param name="reason">Why it failed.</param>
    /// <param name="message">What happened, with the next step.</param>
    /// <param name="inner">The cause; <c>null</c> for none.</param>
    public JobException(Guid id, JobState? state, JobReason reason, string message, Exception? inner = null)
        : base(CallStatus.HandlerFailed, WeirCodes.JobWithoutResult, message, inner)
    {
        Id = id;
        State = state;
        Reason = reason;
    }

    /// <summary>The job.</summary>
    public Guid Id { get; }

    /// <summary>Where it is; <c>null</c> where there is no such job.</summary>
    public JobState? State { get; }

    /// <summary>Why it failed; <see cref="JobReason.None"/> where it did not.</summary>
    public JobReason Reason { get; }
}
