namespace Weir;

/// <summary>The worker process that ran the call failed before the call completed, or no worker could be started.</summary>
public sealed class WorkerLostException : WeirException
{
    /// <summary>Describes the loss of a worker.</summary>
    /// <param name="code"><see cref="WeirCodes.WorkerLost"/> or <see cref="WeirCodes.WorkerStartFailed"/>.</param>
    /// <param name="message">What happened, with the pool's name and the cause.</param>
    /// <param name="pool">The pool.</param>
    /// <param name="processId">The worker's process id; 0 when none was started.</param>
    /// <param name="cause">How it failed: <c>signal 9 (SIGKILL)</c>, <c>exit code 3</c>, <c>start timeout</c>.</param>
    /// <param name="reportId">Names the crash report; <c>null</c> when there is none.</param>
    public WorkerLostException(string code, string message, string pool, int processId, string cause, string? reportId = null)
        : base(CallStatus.WorkerLost, code, message)
    {
        Pool = pool;
        ProcessId = processId;
        Cause = cause;
        ReportId = reportId;
    }

    /// <summary>Whether the call may have run, so that its effects are unknown; <c>false</c> where no worker had begun with it. Default <c>true</c>.</summary>
    public bool MayHaveRun { get; set; } = true;

    /// <summary>How long calls like this one are still refused, because they made workers fail; <c>null</c> where they are not.</summary>
    public TimeSpan? QuarantinedFor { get; set; }

    /// <summary>The pool.</summary>
    public string Pool { get; }

    /// <summary>The worker's process id; 0 when none was started.</summary>
    public int ProcessId { get; }

    /// <summary>How the worker failed.</summary>
    public string Cause { get; }

    /// <summary>Names the crash report in the log of the host, which has more details; <c>null</c> when there is none.</summary>
    public string? ReportId { get; }
}
