using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// What the pool's table knows of one call. What the caller provides is set before the call is admitted or submitted and then only
/// read; the rest is changed only by the decisions, under the pool's lock. What the pool does with the call itself is done through the
/// abstract members.
/// </summary>
internal abstract class CallEntry
{
    // ---- what the caller provides ----

    /// <summary>What is known of the time its operation takes; <c>null</c> if it is never known.</summary>
    public OperationTime? Time { get; set; }

    /// <summary>The bytes of its CALL.</summary>
    public long Bytes { get; set; }

    /// <summary>Its arguments are written: once it has a place it needs nothing more from its caller.</summary>
    public bool IsWritten { get; set; }

    /// <summary>Its arguments or its result are streamed: how long it takes depends on others, so nothing is prefetched behind it.</summary>
    public bool IsStreamed { get; set; }

    /// <summary>What happens where there is no place for it at once.</summary>
    public CallAdmission Admission { get; set; }

    /// <summary>How often it is run again at most after a worker was lost that ran it; <c>null</c> for as often as the pool's calls are.</summary>
    public int? Retries { get; set; }

    /// <summary>Once a worker has it, only the worker ends it: what a cancellation brings is its answer, or its loss.</summary>
    public bool EndsWithItsCode { get; set; }

    /// <summary>Whether what its worker says of it, or that it was lost, is its outcome.</summary>
    public bool TakesOutcome => !IsCancelled || EndsWithItsCode;

    /// <summary>Its author declared that running it twice is harmless.</summary>
    public bool IsIdempotent { get; set; }

    /// <summary>The job that it is an attempt of, which takes what its worker reports of its progress; <c>null</c> for a direct call.</summary>
    public JobContext? Job { get; set; }

    /// <summary>Operation and arguments as one number, computed only while calls are compared with those that made workers fail; 0 if it has none.</summary>
    public virtual ulong Fingerprint => 0;

    /// <summary>Whether such an answer fits the call; under the pool's lock.</summary>
    public virtual bool Accepts(in Answer answer) => true;

    /// <summary>Whether its worker exits by itself after such an answer, because of the call.</summary>
    public virtual bool IsFatal(in Answer answer) => false;

    // ---- what its pool does with it: any thread, without the pool's lock ----

    /// <summary>Its operation, for reports.</summary>
    public abstract Operation? Operation { get; }

    /// <summary>Fires when its caller cancels, or when its deadline passes.</summary>
    public abstract CancellationToken Token { get; }

    /// <summary>Whether its deadline has passed, or is so near that a timer for it may have fired.</summary>
    public abstract bool IsLate { get; }

    /// <summary>A waiting call has a place now.</summary>
    /// <returns>Whether its arguments are to be written here. Otherwise its caller writes and submits it, or the thread pool on the caller's flow.</returns>
    public abstract bool TryTakePlace();

    /// <summary>Writes its arguments, once it has a place.</summary>
    /// <returns>What went wrong; <c>null</c> when they are written.</returns>
    public abstract Exception? TryWrite();

    /// <summary>It has entered the pool: it is queued or with a worker. Not called where its worker was faster, and answered first.</summary>
    public virtual void OnEntered()
    {
    }

    /// <summary>The pool decided that it fails. Its outcome.</summary>
    /// <param name="decision">Why; one of <see cref="PoolAction.IsOutcome"/>.</param>
    /// <param name="worker">The worker that had it; <c>null</c> where none had.</param>
    /// <param name="cause">What happened to that worker.</param>
    public abstract void Fail(PoolActionKind decision, IPoolWorker? worker, string cause);

    /// <summary>It fails with this exception. Its outcome.</summary>
    public abstract void Fail(Exception failure);

    /// <summary>It was cancelled (caller, deadline or stall), and that is its outcome.</summary>
    public abstract void Abandon(Exception reason);

    // ---- its state ----

    /// <summary>Why it is cancelled; set before it is.</summary>
    public CancelReason CancelReason { get; set; } = CancelReason.Caller;

    /// <summary>What its caller gets because it was cancelled; <c>null</c> unless that is its outcome, or may become it.</summary>
    public Exception? CancelledWith { get; set; }

    public CallState State { get; set; }

    /// <summary>The worker it was given to; <c>null</c> before and after.</summary>
    public WorkerEntry? Worker { get; set; }

    /// <summary>Its number on that worker's channel.</summary>
    public ulong CallId { get; set; }

    /// <summary>Whether its worker is known to have started it.</summary>
    public bool HasStarted => Worker is { } worker && CallId <= worker.StartedThrough;

    /// <summary>Its caller has cancelled and has an outcome; the worker has not answered yet.</summary>
    public bool IsCancelled { get; set; }

    /// <summary>An item of its result has arrived, or its worker has asked for those of its request: a retry would be visible.</summary>
    public bool HasItems { get; set; }

    /// <summary>How many workers ended when it was its turn, before they had started it.</summary>
    public int Moves { get; set; }

    /// <summary>How many workers ended while they ran it.</summary>
    public int Attempts { get; set; }

    /// <summary>How often it was withdrawn from a worker that did not start it although it was its turn.</summary>
    public int FailedStarts { get; set; }

    /// <summary>The time it is expected to take; <c>null</c> for unknown. Fixed while it is queued or sent.</summary>
    internal TimeSpan? Expected { get; set; }

    /// <summary>When it arrived, until it is given to a worker for the first time.</summary>
    internal TimeSpan? ArrivedAt { get; set; }

    /// <summary>When it was given to its worker.</summary>
    internal TimeSpan SentAt { get; set; }

    /// <summary>When its caller cancelled.</summary>
    internal TimeSpan CancelledAt { get; set; }

    /// <summary>When its grace begins: the later of its start and its cancellation; <c>null</c> until both have happened.</summary>
    internal TimeSpan? GraceFrom { get; set; }

    // Links of the one list it is in.
    internal CallEntry? Previous { get; set; }

    internal CallEntry? Next { get; set; }

    /// <summary>Resets a completed call to a new one. What the caller provides stays.</summary>
    public void Renew()
    {
        State = CallState.New;
        Worker = null;
        CallId = 0;
        IsCancelled = HasItems = false;
        Moves = Attempts = FailedStarts = 0;
        Expected = GraceFrom = null;
        CancelledWith = null;
    }
}
