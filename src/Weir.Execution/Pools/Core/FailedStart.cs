using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Pools.Workers;
using Weir.Execution.Processes;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Core;

/// <summary>A worker that did not become ready: what it was doing, and what is known of the reason.</summary>
/// <param name="Code">A constant of <see cref="WeirCodes"/>.</param>
/// <param name="Phase">What was being done.</param>
/// <param name="Detail">What went wrong there.</param>
/// <param name="ProcessId">The worker's process id; 0 when it was not spawned.</param>
internal sealed record FailedStart(string Code, string Phase, string Detail, int ProcessId)
{
    /// <summary>The id of its crash report; <c>null</c> when there is none.</summary>
    public string? ReportId { get; init; }

    /// <summary>The phase of a worker that ended without reporting why; the next one may succeed.</summary>
    public const string Died = "start";

    public static FailedStart FailedEarly(ExitReport report, string? lastWords, int processId) => new(
        WeirCodes.WorkerStartFailed,
        Died,
        $"It ended before it was ready: {CrashCause.Describe(report, lastWords, KillReason.None, null)}. Its output is in the log.",
        processId);

    // The host refuses for a temporary reason: no descriptor, process or memory is free.
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    public static FailedStart NotSpawned(Exception failure) =>
        new((failure as LaunchException)?.Code ?? WeirCodes.WorkerStartRefused, "spawn", failure.Message, 0);

    /// <summary>What HELLO carries could not be made: the host's configuration is too large, or reading it threw.</summary>
    public static FailedStart WithoutHello(Exception failure, int processId) => new(
        (failure as LaunchException)?.Code ?? WeirCodes.WorkerStartFailed,
        "read configuration",
        failure is LaunchException ? failure.Message : $"{failure.GetType()}: {failure.Message}",
        processId);

    /// <summary>It was ready, but ended before it ran a call: it counts like a failed start.</summary>
    public static FailedStart EndedUnused(int processId, string reportId) => new(
        WeirCodes.WorkerStartFailed, "wait for a call", "It was ready, and ended before it ran a call. The log says how it ended and contains its output.", processId)
    {
        ReportId = reportId,
    };

    /// <summary>The worker reported the failure itself.</summary>
    public static FailedStart Reported(StartFailure failure, int processId) => new(
        failure.Phase == "compare catalogs" ? WeirCodes.CatalogMismatch : WeirCodes.WorkerStartFailed,
        failure.Phase,
        $"{failure.ExceptionType}: {failure.Message}",
        processId);

    /// <summary>The exception for callers. Where no process was started, no worker was lost: the call is rejected and can be sent again.</summary>
    public WeirException ToException(string pool) => Code is WeirCodes.ProgramMissing or WeirCodes.WorkerStartRefused
        ? new CallRejectedException(Code, $"No worker of pool '{pool}' could be started. {Detail} See {Code}.", RetryAfter)
        : new WorkerLostException(
            Code,
            $"No worker of pool '{pool}' could be started: it failed in phase '{Phase}': {Detail} See {Code}.",
            pool,
            ProcessId,
            $"start failed in phase '{Phase}'",
            ReportId)
        {
            MayHaveRun = false,
        };
}
