namespace Weir;

/// <summary>The state of the lane at one moment.</summary>
/// <param name="MinThreads">Threads that are started in advance and kept.</param>
/// <param name="MaxThreads">The most threads.</param>
/// <param name="QueueLimit">How many calls may wait.</param>
/// <param name="Threads">Threads alive now.</param>
/// <param name="Busy">Threads that run a call.</param>
/// <param name="Queued">Calls that wait for a thread.</param>
public readonly record struct LaneSnapshot(int MinThreads, int MaxThreads, int QueueLimit, int Threads, int Busy, int Queued);
