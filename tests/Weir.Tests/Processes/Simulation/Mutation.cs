namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// Rules that are broken on purpose, to see that the simulation notices. The decisions cannot be broken from outside, but what
/// they depend on can: what they know of a call, of a worker and of the settings, and how their actions are executed. Each of
/// these is what a decision that forgets the rule would do.
/// </summary>
internal enum Mutation
{
    None,

    /// <summary>Any call is retried after a worker failure, not only calls that may run twice.</summary>
    RetriesEverything,

    /// <summary>A call is retried although its reader has seen items of it.</summary>
    RetriesAfterItems,

    /// <summary>A call is retried without a limit.</summary>
    RetriesForEver,

    /// <summary>A call is retried as often as the pool's calls are, although its caller asked for less.</summary>
    IgnoresRetries,

    /// <summary>A call that asks for a free worker is queued like any other.</summary>
    QueuesTheFree,

    /// <summary>After a worker failure nothing is taken from shared memory.</summary>
    SalvagesNothing,

    /// <summary>After a worker failure everything that was sent counts as started.</summary>
    LosesUnstarted,

    /// <summary>After a worker failure only what was last reported counts as started.</summary>
    ForgetsStarted,

    /// <summary>Calls are prefetched behind calls of unknown duration.</summary>
    SendsBehindUnknown,

    /// <summary>Calls are prefetched without a bound.</summary>
    SendsWithoutBound,

    /// <summary>Calls behind a long call are not withdrawn.</summary>
    NeverWithdraws,

    /// <summary>The worker does not see the withdrawal of a call: it runs the call too.</summary>
    WithdrawsTooLate,

    /// <summary>A worker that ignores a cancel is killed before the grace is over.</summary>
    CutsTheGrace,

    /// <summary>A worker that ignores a cancel is never killed.</summary>
    NeverKills,

    /// <summary>The grace counts from the cancellation, even if the call starts later.</summary>
    CountsGraceFromLeaving,

    /// <summary>One worker more than the maximum.</summary>
    ExceedsMaximum,

    /// <summary>One place more than there are.</summary>
    ExceedsPlaces,

    /// <summary>The maximum over all pools is ignored.</summary>
    IgnoresCapacity,

    /// <summary>The timer is never set.</summary>
    ForeseesNothing,

    /// <summary>A pool counts as drained when its calls have completed, before its workers have exited.</summary>
    DrainsEarly,

    /// <summary>A worker retires although it has calls.</summary>
    RetiresBusy,

    /// <summary>A worker failure is not reported.</summary>
    ForgetsTheDead,

    /// <summary>A cancelled caller gets the answer too.</summary>
    AnswersTwice,

    /// <summary>A worker runs more calls than its limit.</summary>
    ForgetsTasks,

    /// <summary>A worker sends items without credit.</summary>
    SendsWithoutCredit,

    /// <summary>A worker sends an item after the answer.</summary>
    SendsAfterwards,

    /// <summary>A worker gets no credit for items that were taken.</summary>
    LosesCredit,

    /// <summary>A slow reader is cancelled too early.</summary>
    CutsTheStall,

    /// <summary>The pool waits without a limit for a reader that takes nothing.</summary>
    NeverStalls,

    /// <summary>The answer drops the items that were not taken.</summary>
    LosesItems,

    /// <summary>The item that arrived last is taken first.</summary>
    SwapsItems,

    /// <summary>A cancelled reader still gets items.</summary>
    ReadsAfterLeaving,

    /// <summary>Workers are started without a limit, even if many fail before they ran a call.</summary>
    ForgetsBudget,

    /// <summary>A pause that has ended is forgotten.</summary>
    ForgetsPauses,

    /// <summary>No call is rejected, even if it makes workers fail.</summary>
    ForgetsQuarantine,

    /// <summary>One worker failure is enough for a call to be rejected.</summary>
    BlamesAtOnce,

    /// <summary>A worker failure by a signal from outside counts like any other.</summary>
    BlamesOutsiders,

    /// <summary>Worker failures by signals from outside never count, regardless of their number.</summary>
    ForgivesForEver,

    /// <summary>A worker failure counts without a time limit.</summary>
    NeverForgets,

    /// <summary>A call that a worker survived is not cleared.</summary>
    ForgetsSurvivors,

    /// <summary>All workers of the old generation retire at once.</summary>
    ReplacesAtOnce,

    /// <summary>A new generation replaces no worker.</summary>
    KeepsTheOld,

    /// <summary>If the host has no capacity for a replacement, no old worker retires to free it.</summary>
    FreesNoCapacity,

    /// <summary>A lower maximum lets no worker exit.</summary>
    KeepsExcess,

    /// <summary>A new generation is started again although it cannot start.</summary>
    TriesTheBroken,

    /// <summary>A call enters although its token has fired.</summary>
    IgnoresFiredTokens,

    /// <summary>Withdrawn calls are used again while unsent frames refer to their memory.</summary>
    ForgetsBorrowed,

    /// <summary>The end of a worker's channel leaves the memory of its calls in unsent frames.</summary>
    ClosesNothing,

    /// <summary>A host that stood still does not notice it.</summary>
    NoticesNoStop,

    /// <summary>A worker that missed a wake is not sent a PING.</summary>
    MissesWakes,

    /// <summary>After a failed tick the timer is not set again.</summary>
    LosesFailedTicks,

    /// <summary>Those who wait until a pool is ready are forgotten.</summary>
    ForgetsWaiters,

    /// <summary>Those who wait until a pool is ready fail although it may become ready.</summary>
    FailsWaiters,

    /// <summary>A call that ends with its code ends when its caller leaves.</summary>
    LeavesCodeBehind,

    /// <summary>Frames of answered calls keep their memory when the calls complete.</summary>
    ForgetsAnswered,
}
