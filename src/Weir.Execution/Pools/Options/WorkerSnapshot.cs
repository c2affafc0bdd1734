namespace Weir;

/// <summary>The state of one worker at one moment.</summary>
/// <param name="ProcessId">Its process id; 0 before it is spawned.</param>
/// <param name="State"><c>starting</c>, <c>idle</c>, <c>busy</c>, <c>finishing</c>, <c>silent</c>, <c>retiring</c> or <c>exiting</c>.</param>
/// <param name="CallsDone">Calls it answered.</param>
/// <param name="Operation">The operation it runs, <c>Service/Operation</c>; <c>null</c> when none.</param>
/// <param name="Limits">The limits that apply to it, as read back from the operating system; <c>null</c> before it is spawned.</param>
public sealed record WorkerSnapshot(int ProcessId, string State, long CallsDone, string? Operation, AppliedLimits? Limits)
{
    /// <summary>Which of the pool's processes it is, counted from 1: process ids are used again, this is not.</summary>
    public long Serial { get; init; }
}
