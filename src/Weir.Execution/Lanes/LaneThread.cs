using Weir.Execution.Threading;

namespace Weir.Execution.Lanes;

/// <summary>One thread of the lane: asks for work, runs it, asks again. Its fields are guarded by the lane's lock.</summary>
internal sealed class LaneThread
{
    private readonly Lane _lane;
    private readonly object _signal = new(); // Entered only after the lane's lock, or alone.
    private LaneWork? _given;

    internal LaneThread(Lane lane) => _lane = lane;

    /// <summary>The next thread on the stack of parked ones.</summary>
    internal LaneThread? Below { get; set; }

    /// <summary>Whether work, or the order to end, was handed over.</summary>
    internal bool IsGiven { get; private set; }

    // Not on the flow of the caller whose work wanted a thread: its context would live as long as the thread.
    internal void Start() => Callbacks.CreateThread("Weir lane", this, static thread => thread.Run(), static (_, _) => { }).UnsafeStart();

    /// <summary>Hands work over; <c>null</c> is the order to end.</summary>
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

    /// <summary>Gives the lock back while waiting to be given something; what came of it is in <see cref="IsGiven"/>.</summary>
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
            // It handles its own failures. Were one to escape, the lane would count a thread that is gone.
            Callbacks.Run(work, static work => work.Execute(), static (_, _) => { });
        }
    }
}
