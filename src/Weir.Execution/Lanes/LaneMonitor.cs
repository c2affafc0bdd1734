using Weir.Execution.Threading;

namespace Weir.Execution.Lanes;

/// <summary>
/// Checks every millisecond whether the oldest waiting call needs another thread, and sleeps without a timeout while
/// no call waits. It has its own thread, because a starved thread pool must not prevent the lane from starting threads.
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
    private bool Grow()
    {
        try
        {
            return _lane.Grow();
        }
        catch (Exception)
        {
            return true;
        }
    }

    private void Run()
    {
        while (!_ended)
        {
            _work.Wait();
            _work.Reset();

            // Reset before the check: work that arrives after it sets the event again.
            while (!_ended && Grow())
            {
                Thread.Sleep(1);
            }
        }
    }
}
