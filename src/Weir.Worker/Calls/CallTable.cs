using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;

namespace Weir.Worker.Calls;

/// <summary>
/// Which calls were read, run, were cancelled before they were read, or will not be started any more. The data thread
/// starts, the control thread cancels and drains, calls end on their own threads; one lock settles their races, and the page
/// those with the host.
/// </summary>
internal sealed class CallTable(TimeProvider time)
{
    /// <summary>A CANCEL may be this many calls ahead of the data channel.</summary>
    public const int MostAhead = 65_536;

    // A monitor: the data thread waits on it for a call to end. Like the other locks on a call's way it is no Lock, and there is no
    // event: their first use costs a starting worker a millisecond each.
    private readonly object _lock = new();
    private bool _waits;

    // As many as run at a time: few.
    private readonly List<CallExecution> _running = [];
    private HashSet<ulong>? _cancelledAhead;    // Made when it happens first, which is rare.
    private SequenceCheck _read;
    private ulong _lastStarted;
    private ulong? _lastSent;       // Set by DRAIN.
    private Action? _drained;       // Set by DRAIN, taken by whoever ends the last call.
    private ulong _now;             // When somebody looked at the clock last.

    // Set before the first call.
    private WorkerPage<PageAccess>? _page;

    /// <summary>Whether calls run one after the other; set before the first.</summary>
    public bool OneAtATime { get; set; } = true;

    /// <summary>When somebody looked at the clock last: with a page, whenever a call ends. Nanoseconds.</summary>
    public ulong LookedAt => Volatile.Read(ref _now);

    /// <summary>Where it is said which calls have started; before the first.</summary>
    public void UsePage(nint address) => _page = PageAccess.OpenWorkerPage(address);

    /// <summary>Calls have been received: from now on they take time. The data thread calls this.</summary>
    public void LookAtClock()
    {
        lock (_lock)
        {
            _now = Now();
        }
    }

    /// <summary>Waits until a call may be started, and marks it as started. The data thread calls this.</summary>
    /// <returns><c>false</c> when it was handed back or taken back: the host gives it to another worker.</returns>
    /// <exception cref="FrameException">The id is not the next one, or DRAIN said there would be none.</exception>
    public bool TryStart(CallExecution run)
    {
        lock (_lock)
        {
            _read.Accept(run.CallId);
            while (_lastSent is null && OneAtATime && _running.Count > 0)
            {
                _waits = true;
                Monitor.Wait(_lock);
            }

            if (_lastSent is { } last)
            {
                return run.CallId <= last ? false : throw new FrameException(FrameFault.UnexpectedFrame, $"call {run.CallId} after DRAIN said that {last} is the last");
            }

            _lastStarted = run.CallId;
            if (_page?.TryStart(run.CallId) == false)
            {
                _cancelledAhead?.Remove(run.CallId);
                return false;
            }

            run.StartedAt = _now;
            _page?.NoteStart(run.CallId, _now);
            _running.Add(run);
            if (_cancelledAhead is { Count: > 0 } && _cancelledAhead.Remove(run.CallId))
            {
                run.Stop.Cancel();
            }

            return true;
        }
    }

    /// <summary>A started call has its ending on the wire, or where it outlives this process.</summary>
    public void End(CallExecution run)
    {
        Action? drained = null;
        lock (_lock)
        {
            _running.Remove(run);
            if (_page is not null)
            {
                _now = Now();
                _page.End(_now - run.StartedAt);
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
                // Under the lock: once it has ended, its object is another call's. Callbacks run elsewhere.
                run.Stop.Cancel();
            }
            else if (callId > _lastStarted && _lastSent is null)
            {
                // Not read yet, or read and waiting for its turn.
                if (callId - _lastStarted > MostAhead)
                {
                    throw new FrameException(FrameFault.UnexpectedFrame, $"CANCEL of call {callId}, {callId - _lastStarted} calls ahead");
                }

                (_cancelledAhead ??= []).Add(callId);
            }
        }
    }

    /// <exception cref="FrameException">More credit than anybody needs.</exception>
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

    /// <summary>An item of a streamed request, or its end. What comes for a call that has ended was on its way. The data thread calls this.</summary>
    /// <exception cref="FrameException">The call was not sent, or takes no such frame.</exception>
    public void Receive(in Frame frame)
    {
        lock (_lock)
        {
            var run = Find_NeedsLock(frame.CallId);
            if (run is null ? frame.CallId > _read.Last : run.Items is null)
            {
                throw new FrameException(FrameFault.UnexpectedFrame, $"{frame.Type} of call {frame.CallId}, {(run is null ? "which was not sent" : "whose request is no stream")}");
            }

            run?.Items!.Accept(frame);
        }
    }

    /// <summary>From now on nothing is started.</summary>
    /// <param name="lastSent">The last id the host has sent.</param>
    /// <param name="returned">Told the first id that will not be started, before <paramref name="drained"/>. Must not wait: the lock is held.</param>
    /// <param name="drained">Called once, when no call runs any more.</param>
    /// <exception cref="FrameException">It was said before, or calls beyond the last were read.</exception>
    public void Drain(ulong lastSent, Action<ulong> returned, Action drained)
    {
        lock (_lock)
        {
            if (_lastSent is not null || lastSent < _read.Last)
            {
                throw new FrameException(FrameFault.UnexpectedFrame, _lastSent is not null ? "DRAIN twice" : $"DRAIN says that {lastSent} is the last call, {_read.Last} was read");
            }

            _lastSent = lastSent;
            returned(_lastStarted + 1);
            WakeDataThread_NeedsLock();
            if (_running.Count > 0)
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
