using Weir.Execution.Observation;

namespace Weir.Execution.Lanes;

/// <summary>The lane as the recorder sees it. Any thread.</summary>
/// <param name="lane">The lane.</param>
internal sealed class ObservedLane(Lane lane) : IObservedPool
{
    public string Name => IObservedPool.LaneName;

    public PoolReading Read() => lane.Read();
}
