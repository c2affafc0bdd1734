using System.Diagnostics;

namespace Weir.Execution.Observation;

/// <summary>A call that runs or waits, as it was read at one moment.</summary>
/// <param name="Id">Names the call while it runs.</param>
/// <param name="Operation">Its operation.</param>
/// <param name="Phase">Where it is.</param>
/// <param name="Times">Where its time went so far.</param>
/// <param name="TraceId">Its trace; the default value where it has none.</param>
/// <param name="ProcessId">The worker that it was assigned to; 0 for none.</param>
/// <param name="IsCancelled">Its caller has cancelled, or its deadline has passed.</param>
internal readonly record struct RunningCallReading(long Id, Operation Operation, RecordedPhase Phase, PhaseTimes Times, ActivityTraceId TraceId, int ProcessId, bool IsCancelled)
{
    /// <summary>Who called, where that is shown; <c>null</c> where it is not known.</summary>
    public string? Caller { get; init; }

    /// <summary>Whether an operator can cancel it.</summary>
    public bool CanCancel { get; init; }
}
