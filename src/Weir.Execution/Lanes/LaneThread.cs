using Weir.Execution.Threading;

namespace Weir.Execution.Lanes;

/// <summary>One thread of the lane: takes work, runs it, takes the next. Its fields are protected by the lane's lock.</summary>
internal sealed class LaneThread
{
    private readonly Lane _lane;
    private readonly object _signal = new(); // Entered only after the lane's lock, or alone.
    private LaneWork? _given;

    internal LaneThread(Lane lane) => _lane = lane;

    /// <summary>The next thread on the stack of parked ones.</summary>
    internal LaneThread? Below { get; set; }

    /// <summary>Whether work, or the request to end, was passed to it.</summary>
    internal bool IsGiven { get; private set; }

    // Without the execution context of the caller whose work needs a thread: that context would live as long as the thread.
    internal void Start() => Callbacks.CreateThread("Weir lane", this, static thread => thread.Run(), static (_, _) => { }).UnsafeStart();

    /// <summary>Passes work to the thread; <c>null</c> is the request to end.</summary>
    internal void Give_NeedsLock(LaneWork? work)
    {
        _given = work;
        lock (_signal)
        {
            IsGiven = true;
            Monitor.Pulse(_signal);
        }
    }

    internal LaneWork? TakeGiven_NeedsLock()
    {
        var work = _given;
        _given = null;
        IsGiven = false;
        return work;
    }

    /// <summary>Releases the lock while it waits for work; <see cref="IsGiven"/> has the result.</summary>
    internal void Wait_NeedsLock(Lock gate, TimeSpan time)
    {
        gate.Exit();
        lock (_signal)
        {
            if (!IsGiven)
            {
                Monitor.Wait(_signal, time);
            }
        }

        gate.Enter();
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
