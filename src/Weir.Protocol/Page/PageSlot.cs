namespace Weir.Protocol;

/// <summary>What a worker says about one call that runs; its own word, and each field of another moment.</summary>
/// <param name="CallId">The call; 0 when the slot was never used.</param>
/// <param name="Items">The items it has sent.</param>
/// <param name="Phase">How far it is.</param>
/// <param name="StartedAt">When it was started, in nanoseconds of CLOCK_MONOTONIC.</param>
public readonly record struct PageSlot(ulong CallId, ulong Items, SlotPhase Phase, ulong StartedAt);
