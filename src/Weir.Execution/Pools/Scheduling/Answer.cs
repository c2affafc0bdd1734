namespace Weir.Execution.Pools.Scheduling;

/// <summary>One answer of a worker on its way through a decision.</summary>
/// <param name="callId">The call that is answered.</param>
/// <param name="kind">What kind of answer it is, for <see cref="CallEntry.Accepts"/>.</param>
internal struct Answer(ulong callId, int kind = 0)
{
    public readonly ulong CallId => callId;

    public readonly int Kind => kind;

    /// <summary>The call, once decided.</summary>
    public CallEntry? Call { get; set; }

    /// <summary>Whether the answer is the call's outcome, once decided; not when its caller has cancelled.</summary>
    public bool IsOutcome { get; set; }
}
