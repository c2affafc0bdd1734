using Weir.Execution.Threading;

namespace Weir.Tests.Processes.Simulation;

/// <summary>The clock of one pool. Its timer fires late; while the host stands still it does not fire, and sometimes its callback fails.</summary>
internal sealed class PoolTime(World world, SimulatedPool pool) : TimeProvider
{
    private TimeSpan? _claimed;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    private bool _isToFail;
    private bool _hasFailed;

    private World World => world;

    public override long GetTimestamp()
    {
        var now = _claimed ?? world.Now;
        _claimed = null;
        return now.Ticks;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new Timer(this, callback, state);

    /// <summary>Fails inside the callback of the timer, if it is to fail: called before anything is decided there.</summary>
    public void MayFail()
    {
        if (_isToFail)
        {
            (_isToFail, _hasFailed) = (false, true);
            world.Note("  the tick fails");
            throw new SimulatedFailure();
        }
    }

    /// <summary>What is decided from here on is carried out.</summary>
    public void MayFailNoMore() => _isToFail = false;

    private void Fire(TimeSpan due, TimerCallback callback, object? state)
    {
        if (world.Now - due > HostThread.MostLate)
        {
            pool.Oracle.NoticesStop();

            // The first reading decides whether the timer was late.
            _claimed = world.Mutation == Mutation.NoticesNoStop ? due : null;
        }

        _isToFail = world.Scenario.FailsTicks && world.Chance(0.05);
        pool.Begin("ticks");
        callback(state);
        _isToFail = _hasFailed = false;
    }

    private sealed class Timer(PoolTime time, TimerCallback callback, object? state) : ITimer
    {
        private int _change;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            var world = time.World;
            var change = ++_change;
            if (world.Mutation == Mutation.ForeseesNothing || (world.Mutation == Mutation.LosesFailedTicks && time._hasFailed))
            {
                return true;
            }

            var due = world.Now + dueTime;
            world.OnHost(dueTime + (world.Scenario.TimerDelay * world.Random.NextDouble()), () =>
            {
                // A timer that was changed does not fire for the earlier time.
                if (change == _change)
                {
                    time.Fire(due, callback, state);
                }
            });
            return true;
        }

        public void Dispose() => _change++;

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
