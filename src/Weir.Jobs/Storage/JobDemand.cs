namespace Weir.Jobs.Storage;

/// <summary>How much there is to do, in all processes that share a store.</summary>
/// <param name="Running">How many jobs run.</param>
/// <param name="Ready">How many could start now, or within 30 s, if there were places for them: none of kinds that are paused, and of kinds with a limit no more than may. Each kind is counted to 10,000 at most.</param>
internal readonly record struct JobDemand(long Running, long Ready);
