namespace Weir;

/// <summary>One row of the list of kept crash reports; <see cref="WeirRuntime.FindReport"/> has the whole report.</summary>
/// <param name="Id">The report's id, as in logs, in <see cref="WorkerLostException.ReportId"/> and in the member <c>report</c> of a problem.</param>
/// <param name="At">When the report was made, by the host's clock.</param>
/// <param name="Pool">The pool of the worker.</param>
/// <param name="Cause">How the worker ended, as in <see cref="CrashReport.Cause"/>.</param>
/// <param name="Phase">What it was doing, as in <see cref="CrashReport.Phase"/>.</param>
/// <param name="Operation">The operation that it ran when it ended, <c>Service/Operation</c>; the first where it ran several, and <c>null</c> where it ran none.</param>
/// <param name="ProcessId">The worker's process id; 0 when it could not be spawned.</param>
public sealed record CrashReportSummary(string Id, DateTimeOffset At, string Pool, string Cause, string Phase, string? Operation, int ProcessId);
