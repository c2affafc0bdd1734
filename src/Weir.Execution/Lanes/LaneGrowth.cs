namespace Weir.Execution.Lanes;

/// <summary>What a check for more threads found.</summary>
internal enum LaneGrowth
{
    /// <summary>Each queued call has a thread that will take it.</summary>
    NothingWaits,

    /// <summary>Calls wait, but not long enough, or there can be no more threads now.</summary>
    Later,

    /// <summary>A thread was started, and more may be needed.</summary>
    Started,
}
