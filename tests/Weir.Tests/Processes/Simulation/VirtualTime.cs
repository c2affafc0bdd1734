namespace Weir.Tests.Processes.Simulation;

/// <summary>Time that jumps from event to event; events of one moment happen in the order in which they were scheduled.</summary>
internal sealed class VirtualTime
{
    // Bounded by what a run schedules; a run that does not end is stopped after a number of steps.
    private readonly PriorityQueue<Action, (long At, long Order)> _events = new();
    private long _order;

    public TimeSpan Now { get; private set; }

    public long Steps { get; private set; }

    public void After(TimeSpan delay, Action action) => _events.Enqueue(action, ((Now + delay).Ticks, _order++));

    public void After(double milliseconds, Action action) => After(TimeSpan.FromTicks((long)(milliseconds * TimeSpan.TicksPerMillisecond)), action);

    public bool TryStep()
    {
        if (!_events.TryDequeue(out var action, out var key))
        {
            return false;
        }

        Now = new TimeSpan(key.At);
        Steps++;
        action();
        return true;
    }
}
