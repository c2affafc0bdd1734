using Microsoft.Extensions.Logging;
using Weir.Worker.Channels;
using Weir.Worker.Log;
using Weir.Worker.Platform;

namespace Weir.Worker.Calls;

/// <summary>What all calls of a worker share, and the reused objects that run them. Used concurrently.</summary>
/// <param name="output">Takes their results.</param>
/// <param name="calls">The calls that run.</param>
/// <param name="fatal">The fatal exits of this process.</param>
/// <param name="time">The clock.</param>
/// <param name="loggers">For messages of the worker itself.</param>
/// <param name="hasLoggers">Whether user code has loggers, whose records need the id of their call.</param>
internal sealed class CallServices(DataOutput output, CallTable calls, FatalExit fatal, TimeProvider time, WorkerLoggers loggers, bool hasLoggers)
{
    private readonly object _lock = new();

    // The one whose call ended last.
    private CallExecution? _last;

    // Under the lock. Bounded by the greatest number of calls that ran at the same time.
    private readonly Stack<CallExecution> _idle = new();

    public DataOutput Output => output;

    public CallTable Calls => calls;

    public FatalExit Fatal => fatal;

    public TimeProvider Time => time;

    public ILogger Logger => loggers.Own;

    public bool HasLoggers => hasLoggers;

    /// <summary>Takes the progress of jobs; <c>null</c> where the host does not accept it.</summary>
    public ControlOutput? Progress { get; init; }

    /// <summary>Whether the host accepts the status and headers that an operation chooses.</summary>
    public bool SendsHeads { get; init; }

    /// <summary>The id of the data thread, which sends the results of calls that complete on it; set by it before the first call.</summary>
    public int DataThread { get; set; }

    public CallExecution RentRun()
    {
        if (Interlocked.Exchange(ref _last, null) is { } last)
        {
            return last;
        }

        lock (_lock)
        {
            if (_idle.TryPop(out var run))
            {
                return run;
            }
        }

        return new CallExecution(this);
    }

    public void ReturnRun(CallExecution run)
    {
        if (Interlocked.CompareExchange(ref _last, run, null) is null)
        {
            return;
        }

        lock (_lock)
        {
            _idle.Push(run);
        }
    }
}
