using Weir.Execution.Threading;

namespace Weir.Execution.Lanes;

/// <summary>
/// Starts one thread after the other while the oldest waiting call needs one, checks again after a millisecond while calls wait, and sleeps without
/// a timeout while none does. It has its own thread, because a starved thread pool must not prevent the lane from starting threads.
/// </summary>
internal sealed class LaneMonitor : IDisposable
{
    private readonly Lane _lane;
    private readonly ManualResetEventSlim _work = new(false, spinCount: 0);
    private Thread? _thread;
    private volatile bool _ended;

    internal LaneMonitor(Lane lane) => _lane = lane;

    /// <summary>Work waits.</summary>
    internal void Wake()
    {
        if (Volatile.Read(ref _thread) is null)
        {
            Start();
        }

        if (!_work.IsSet)
        {
            _work.Set();
        }
    }

    public void Dispose()
    {
        _ended = true;
        _work.Set();
        _thread?.Join();
    }

    private void Start()
    {
        var thread = Callbacks.CreateThread("Weir lane monitor", this, static monitor => monitor.Run(), static (_, _) => { });
        if (Interlocked.CompareExchange(ref _thread, thread, null) is null)
        {
            try
            {
                thread.UnsafeStart();
            }
            catch (OutOfMemoryException)
            {
                // The kernel gives no more threads: the next call of Wake tries again.
                Volatile.Write(ref _thread, null);
            }
        }
    }

    // On a failure, such as no memory, the next check may succeed.
    private LaneGrowth Grow()
    {
        try
        {
            return _lane.Grow();
        }
        catch (Exception)
        {
            return LaneGrowth.Later;
        }
    }

    private void Run()
    {
        while (!_ended)
        {
            _work.Wait();
            _work.Reset();

            // Reset before the check: work that arrives after it sets the event again.
            while (!_ended && Grow() is not LaneGrowth.NothingWaits and var growth)
            {
                if (growth == LaneGrowth.Later)
                {
                    Thread.Sleep(1);
                }
            }
        }
    }
}
