using Weir.Execution.Threading;

namespace Weir.Execution.Lanes;

/// <summary>One thread of the lane: takes work, runs it, takes the next.</summary>
internal sealed class LaneThread
{
    private readonly Lane _lane;
    private readonly object _signal = new();
    private bool _isSignalled; // Guarded by _signal.

    internal LaneThread(Lane lane) => _lane = lane;

    /// <summary>The next thread on the stack of parked ones. Guarded by the lane's lock.</summary>
    internal LaneThread? Below { get; set; }

    /// <summary>Whether it is on that stack. Guarded by the lane's lock.</summary>
    internal bool IsParked { get; set; }

    /// <summary>Whether it is signalled for work, and has not taken the lane's lock yet. Guarded by that lock.</summary>
    internal bool IsWaking { get; set; }

    // Without the execution context of the caller whose work needs a thread: that context would live as long as the thread.
    internal void Start() => Callbacks.CreateThread("Weir lane", this, static thread => thread.Run(), static (_, _) => { }).UnsafeStart();

    /// <summary>Ends its wait, or its next one. Called without the lane's lock.</summary>
    internal void Signal()
    {
        lock (_signal)
        {
            _isSignalled = true;
            Monitor.Pulse(_signal);
        }
    }

    /// <summary>Waits for a signal; <c>false</c> when there was none in this time.</summary>
    internal bool Wait(TimeSpan time)
    {
        lock (_signal)
        {
            if (!_isSignalled)
            {
                Monitor.Wait(_signal, time);
            }

            var wasSignalled = _isSignalled;
            _isSignalled = false;
            return wasSignalled;
        }
    }

    private void Run()
    {
        for (var work = _lane.Take(this, wasBusy: false); work is not null; work = _lane.Take(this, wasBusy: true))
        {
            // The work handles its own failures. If one escaped, the lane would count a thread that is gone.
            Callbacks.Run(work, static work => work.Execute(), static (_, _) => { });
        }
    }
}
