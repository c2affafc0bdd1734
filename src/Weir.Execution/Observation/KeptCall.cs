using System.Diagnostics;

namespace Weir.Execution.Observation;

/// <summary>One call that has ended and is worth a look: slow, or failed. It has no arguments, no result and no text of an exception. A value: keeping one allocates nothing.</summary>
/// <param name="At">When it ended.</param>
/// <param name="Times">Where its time went.</param>
/// <param name="Status">Its outcome.</param>
/// <param name="Error">The name of the exception's type, or of its code; <c>null</c> for a call that succeeded.</param>
/// <param name="TraceId">Its trace; the default value where it had none.</param>
/// <param name="ProcessId">The worker that had it; 0 for none.</param>
/// <param name="ReportId">The crash report of the worker that was lost with it; <c>null</c> for none.</param>
internal readonly record struct KeptCall(
    DateTimeOffset At, PhaseTimes Times, CallStatus Status, string? Error, ActivityTraceId TraceId, int ProcessId, string? ReportId);
