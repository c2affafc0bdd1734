namespace Weir.Jobs.Tests.Running;

/// <summary>A clock whose timers fire some time before the clock says so, as timers that count milliseconds of another clock do.</summary>
/// <param name="by">How much too early.</param>
internal sealed class EarlyTimers(TimeSpan by) : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new EarlyTimer(System.CreateTimer(callback, state, Early(dueTime), period), this);

    private TimeSpan Early(TimeSpan dueTime) => dueTime == Timeout.InfiniteTimeSpan ? dueTime : dueTime > by ? dueTime - by : TimeSpan.Zero;

    private sealed class EarlyTimer(ITimer timer, EarlyTimers time) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => timer.Change(time.Early(dueTime), period);

        public void Dispose() => timer.Dispose();

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}
