namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// Rules that are broken on purpose, to see that the simulation notices. The decisions cannot be broken from outside, but what
/// they stand on can: what they are told of a call, of a worker, of the settings, and what is made of what they ask for. Each of
/// these is what a decision that forgets the rule would do.
/// </summary>
internal enum Mutation
{
    None,

    /// <summary>Any call is tried again after a death, not only those that may run twice.</summary>
    RetriesEverything,

    /// <summary>A call is tried again although its reader has seen items of it.</summary>
    RetriesAfterItems,

    /// <summary>A call is tried again for ever.</summary>
    RetriesForEver,

    /// <summary>After a death nothing is taken from the page.</summary>
    SalvagesNothing,

    /// <summary>After a death everything that was sent counts as started.</summary>
    LosesUnstarted,

    /// <summary>After a death only what was last heard of counts as started.</summary>
    ForgetsStarted,

    /// <summary>Calls are sent ahead behind what takes nobody knows how long.</summary>
    SendsBehindUnknown,

    /// <summary>Calls are sent ahead without a bound.</summary>
    SendsWithoutBound,

    /// <summary>Nothing is taken back from behind a long call.</summary>
    NeverRecalls,

    /// <summary>What is taken back is forgotten by the worker's side: it runs there too.</summary>
    RecallsTooLate,

    /// <summary>A worker that ignores a cancel is killed before the grace is over.</summary>
    CutsTheGrace,

    /// <summary>A worker that ignores a cancel is never killed.</summary>
    NeverKills,

    /// <summary>The grace counts from the caller's leaving, also where the call starts later.</summary>
    CountsGraceFromLeaving,

    /// <summary>One worker more than the maximum.</summary>
    ExceedsMaximum,

    /// <summary>One place more than there are.</summary>
    ExceedsPlaces,

    /// <summary>The cap over all pools is looked at, not kept.</summary>
    IgnoresRoom,

    /// <summary>Time is forgotten: nothing is foreseen.</summary>
    ForeseesNothing,

    /// <summary>A pool counts as drained when its calls are, not its workers.</summary>
    DrainsEarly,

    /// <summary>A worker leaves although it has calls.</summary>
    RetiresBusy,

    /// <summary>The death of a worker is told to nobody.</summary>
    ForgetsTheDead,

    /// <summary>A caller that has left is told the answer as well.</summary>
    AnswersTwice,

    /// <summary>A worker has more calls than it may have.</summary>
    ForgetsTasks,

    /// <summary>A worker sends items although nobody takes them.</summary>
    SendsWithoutCredit,

    /// <summary>A worker sends an item after the answer.</summary>
    SendsAfterwards,

    /// <summary>A worker is never told that its items were taken.</summary>
    LosesCredit,

    /// <summary>A slow reader is given up too early.</summary>
    CutsTheStall,

    /// <summary>A reader that never comes back is waited for.</summary>
    NeverStalls,

    /// <summary>With the answer the items are dropped that were not taken.</summary>
    LosesItems,

    /// <summary>What came last is taken first.</summary>
    SwapsItems,

    /// <summary>Who has left still gets items.</summary>
    ReadsAfterLeaving,

    /// <summary>Workers are started for ever, however many die before they did anything.</summary>
    ForgetsBudget,

    /// <summary>A pause that is over is forgotten.</summary>
    ForgetsPauses,

    /// <summary>Nothing is turned away, whatever it kills.</summary>
    ForgetsPoison,

    /// <summary>One death is enough for a call to be turned away.</summary>
    BlamesAtOnce,

    /// <summary>A death by a signal from outside counts like any other.</summary>
    BlamesOutsiders,

    /// <summary>Worker failures by signals from outside never count, regardless of their number.</summary>
    ForgivesForEver,

    /// <summary>A death counts for ever.</summary>
    NeverForgets,

    /// <summary>That a worker survived a call makes no difference.</summary>
    ForgetsSurvivors,

    /// <summary>A new generation begins with nobody.</summary>
    ReplacesAtOnce,

    /// <summary>A new generation replaces nobody.</summary>
    KeepsTheOld,

    /// <summary>Where the host has no room for a replacement, nobody makes any.</summary>
    MakesNoRoom,

    /// <summary>A new generation is tried although it cannot be started.</summary>
    TriesTheBroken,
}
