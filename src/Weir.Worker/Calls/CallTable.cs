using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;

namespace Weir.Worker.Calls;

/// <summary>
/// Which calls were read, run, were cancelled before they were read, or will not be started any more. The data thread starts calls,
/// the control thread cancels and drains, calls end on their own threads. One lock resolves the races between these threads, the
/// shared memory those with the host.
/// </summary>
internal sealed class CallTable(TimeProvider time)
{
    /// <summary>A CANCEL may name a call that is at most this many calls after the last one that was started.</summary>
    public const int MostPrefetched = 65_536;

    // A monitor: the data thread waits on it for a call to end. Like the other locks on the path of a call it is no Lock, and there is
    // no event: the first use of either costs a starting worker a millisecond.
    private readonly object _lock = new();
    private bool _waits;

    // The calls that run at the same time: few. Created with the first: the types that run a call are not needed before READY.
    private List<CallExecution>? _running;
    private HashSet<ulong>? _cancelledEarly;    // Created on first use, which is rare.
    private SequenceCheck _read;
    private ulong _lastStarted;
    private ulong? _lastSent;       // Set by DRAIN.
    private Action? _drained;       // Set by DRAIN, taken by the thread that ends the last call.
    private ulong _now;             // The last reading of the clock.

    // Set before the first call.
    private WorkerSharedMemory<SharedMemoryAccess>? _region;

    /// <summary>Whether calls run one after the other; set before the first.</summary>
    public bool OneAtATime { get; set; } = true;

    /// <summary>The last reading of the clock: when frames were received and, with shared memory, whenever a call ended. Nanoseconds.</summary>
    public ulong ClockReading => Volatile.Read(ref _now);

    /// <summary>Sets the shared memory that records which calls have started; called before the first call.</summary>
    public void UseSharedMemory(nint address) => _region = SharedMemoryAccess.OpenWorker(address);

    /// <summary>Reads the clock after calls were received: their time counts from here. The data thread calls this.</summary>
    public void ReadClock()
    {
        lock (_lock)
        {
            _now = Now();
        }
    }

    /// <summary>Waits until a call may be started, and marks it as started. The data thread calls this.</summary>
    /// <returns><c>false</c> when it was handed back after DRAIN or withdrawn: the host gives it to another worker.</returns>
    /// <exception cref="FrameException">The id is not the next one, or is after the last one that DRAIN named.</exception>
    public bool TryStart(CallExecution run)
    {
        lock (_lock)
        {
            _read.Accept(run.CallId);
            while (_lastSent is null && OneAtATime && _running is { Count: > 0 })
            {
                _waits = true;
                Monitor.Wait(_lock);
            }

            if (_lastSent is { } last)
            {
                return run.CallId <= last ? false : throw new FrameException(FrameError.UnexpectedFrame, $"call {run.CallId} after DRAIN said that {last} is the last");
            }

            _lastStarted = run.CallId;
            if (_region?.TryStart(run.CallId) == false)
            {
                _cancelledEarly?.Remove(run.CallId);
                return false;
            }

            run.StartedAt = _now;
            _region?.NoteStart(run.CallId, _now);
            (_running ??= []).Add(run);
            if (_cancelledEarly is { Count: > 0 } && _cancelledEarly.Remove(run.CallId))
            {
                run.Stop.Cancel();
            }

            return true;
        }
    }

    /// <summary>Ends a started call whose outcome was sent, or is in the shared memory, where it outlives this process.</summary>
    public void End(CallExecution run)
    {
        Action? drained = null;
        lock (_lock)
        {
            _running!.Remove(run);
            if (_region is not null)
            {
                _now = Now();
                _region.End(_now - run.StartedAt);
            }

            if (_running.Count == 0)
            {
                (drained, _drained) = (_drained, null);
            }

            WakeDataThread_NeedsLock();
        }

        drained?.Invoke();
    }

    /// <exception cref="FrameException">The id is further ahead than any call can be.</exception>
    public void Cancel(ulong callId)
    {
        lock (_lock)
        {
            if (Find_NeedsLock(callId) is { } run)
            {
                // Under the lock: when the call has ended, its object is reused for another call. Callbacks run on the thread pool.
                run.Stop.Cancel();
            }
            else if (callId > _lastStarted && _lastSent is null)
            {
                // Not read yet, or read and not started yet.
                if (callId - _lastStarted > MostPrefetched)
                {
                    throw new FrameException(FrameError.UnexpectedFrame, $"CANCEL of call {callId}, {callId - _lastStarted} calls after the last started one");
                }

                (_cancelledEarly ??= []).Add(callId);
            }
        }
    }

    /// <exception cref="FrameException">More credit than may be outstanding.</exception>
    public void Grant(ulong callId, uint bytes)
    {
        lock (_lock)
        {
            if (Find_NeedsLock(callId) is { } run)
            {
                run.Credit?.Grant(bytes);
            }
        }
    }

    /// <summary>Passes on an item or the end of a streamed request; ignored if the call has already ended. The data thread calls this.</summary>
    /// <exception cref="FrameException">The call was not sent, or takes no such frame.</exception>
    public void Receive(in Frame frame)
    {
        lock (_lock)
        {
            var run = Find_NeedsLock(frame.CallId);
            if (run is null ? frame.CallId > _read.Last : run.Items is null)
            {
                throw new FrameException(FrameError.UnexpectedFrame, $"{frame.Type} of call {frame.CallId}, {(run is null ? "which was not sent" : "which has no streamed request")}");
            }

            run?.Items!.Accept(frame);
        }
    }

    /// <summary>From now on no call is started.</summary>
    /// <param name="lastSent">The last id the host has sent.</param>
    /// <param name="returned">Gets the first id that will not be started, before <paramref name="drained"/>. Must not wait: the lock is held.</param>
    /// <param name="drained">Called once, when no call runs any more.</param>
    /// <exception cref="FrameException">DRAIN came before, or calls after the last one were already read.</exception>
    public void Drain(ulong lastSent, Action<ulong> returned, Action drained)
    {
        lock (_lock)
        {
            if (_lastSent is not null || lastSent < _read.Last)
            {
                throw new FrameException(FrameError.UnexpectedFrame, _lastSent is not null ? "DRAIN twice" : $"DRAIN says that {lastSent} is the last call, but call {_read.Last} was read already");
            }

            _lastSent = lastSent;
            returned(_lastStarted + 1);
            WakeDataThread_NeedsLock();
            if (_running is { Count: > 0 })
            {
                _drained = drained;
                return;
            }
        }

        drained();
    }

    private void WakeDataThread_NeedsLock()
    {
        if (_waits)
        {
            _waits = false;
            Monitor.PulseAll(_lock);
        }
    }

    private CallExecution? Find_NeedsLock(ulong callId)
    {
        if (_running is null)
        {
            return null;
        }

        foreach (var run in _running)
        {
            if (run.CallId == callId)
            {
                return run;
            }
        }

        return null;
    }

    private ulong Now() => (ulong)(time.GetTimestamp() * (1_000_000_000.0 / time.TimestampFrequency));
}
