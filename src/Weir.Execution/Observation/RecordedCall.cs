using System.Diagnostics;
using Weir.Runtime;

namespace Weir.Execution.Observation;

/// <summary>
/// A place for one call that runs now: written by the flow of the call with plain stores, and read by other threads, which notice by its version when
/// the call has ended, or another one has taken the place, while they read.
/// </summary>
/// <param name="index">Which place it is.</param>
/// <param name="time">The clock.</param>
internal sealed class RecordedCall(int index, TimeProvider time) : CallRecording
{
    // Ids have the place in their last bits.
    private const int IndexBits = 12;

    // To read the clock five times would be 3 % of the smallest request: of plain calls, one of so many is timed phase by phase. A power of two.
    private const int SampleBits = 3;

    private static readonly OperationCanceledException NotAwaited = new();

    // Odd while no call has the place. Changed only by the flow that has the place.
    private int _version = 1;

    private OperationRecord _record = null!;
    private ActivityTraceId _trace;
    private CancellationToken _token;
    private string? _caller;

    // How the call can be cancelled: by its transport, or by a source of its own. Neither: it cannot.
    private object? _transport;
    private CallTransport? _kind;
    private CancellationTokenSource? _source;

    // The thread that cancels the call of the place, which does not end before that; 0 for none.
    private int _canceller;

    private long _began;
    private RecordedPhase _phase;
    private bool _queues;
    private Exception? _failure;

    // For how many calls its phases count; 0 where only its whole time is known.
    private int _weight;

    // Timestamps; 0 until then. The call is assigned by another thread.
    private long _entered;
    private long _executing;
    private long _assigned;
    private long _returned;
    private int _processId;

    /// <summary>How many places there are at most.</summary>
    public const int Most = 1 << IndexBits;

    /// <summary>The place that an id of a call names.</summary>
    public static int IndexOf(long id) => (int)(id & (Most - 1));

    /// <summary>Changes when the call ends: code that keeps the place for later keeps this, too.</summary>
    public int Version => Volatile.Read(ref _version);

    /// <summary>Whether a call has the place.</summary>
    public bool IsInUse => (Version & 1) == 0;

    /// <summary>What its call runs with.</summary>
    public CancellationToken Token => _token;

    /// <summary>Whose call had it last; <c>null</c> before the first.</summary>
    public OperationRecord? Last => _record;

    /// <summary>A request of a call takes the place, which is free.</summary>
    public void Begin(OperationRecord record, ActivityTraceId trace, long now)
    {
        _record = record;
        _trace = trace;
        _began = now;
        _phase = RecordedPhase.Bind;
        _queues = false;
        _weight = !record.IsPlain ? 1 : IsSampled(now) ? 1 << SampleBits : 0;
        _entered = _executing = _assigned = _returned = 0;
        _processId = 0;

        // A full fence: the recorder either sees the call, or this sees that the recorder sleeps.
        Interlocked.Increment(ref _version);
    }

    /// <inheritdoc/>
    public override void TimePhases() => _weight = 1;

    /// <summary>Its arguments are known.</summary>
    /// <param name="transport">What it came by; <c>null</c> for nothing that can be cut off.</param>
    /// <param name="kind">What can be done with that; <c>null</c> for nothing.</param>
    /// <param name="keepsCaller">Whether its caller is named.</param>
    /// <param name="token">Its caller's.</param>
    /// <returns>What it is to be ended with.</returns>
    public Recording Enter(object? transport, CallTransport? kind, bool keepsCaller, CancellationToken token)
    {
        if (transport is not null && kind is not null)
        {
            (_transport, _kind) = (transport, kind);
            _caller = keepsCaller ? kind.CallerOf(transport) : null;
        }

        EnterAt(_weight == 0 ? 0 : Now(), token);
        return new Recording(this, Version);
    }

    /// <summary>The same, at a timestamp; 0 where it is not known.</summary>
    public void EnterAt(long now, CancellationToken token)
    {
        _token = token;
        _phase = RecordedPhase.Filters;
        Volatile.Write(ref _entered, now);
    }

    /// <summary>The call gets a token of its own, by which it can be cancelled.</summary>
    /// <param name="token">The caller's.</param>
    /// <returns>Which one the call runs with.</returns>
    public CancellationToken Own(CancellationToken token)
    {
        _source = CancellationTokenSource.CreateLinkedTokenSource(token);
        return _source.Token;
    }

    /// <summary>Its filters are over.</summary>
    /// <param name="queues">Whether it may wait where it runs: for a worker, or a thread of the lane.</param>
    public void Executing(bool queues)
    {
        _queues = queues;
        _phase = queues ? RecordedPhase.Queue : RecordedPhase.Run;
        if (_weight != 0)
        {
            Volatile.Write(ref _executing, Now());
        }
    }

    /// <summary>It has left its queue. The last time counts.</summary>
    /// <param name="version">The place's version when the call began: a call that has ended changes nothing.</param>
    /// <param name="processId">The worker that it was assigned to; 0 for a thread of this process.</param>
    public void Assigned(int version, int processId)
    {
        if (Version == version)
        {
            Volatile.Write(ref _processId, processId);
            Volatile.Write(ref _assigned, Now());
        }
    }

    /// <summary>It has its outcome.</summary>
    /// <param name="version">The place's version when the call began: a call that has ended changes nothing.</param>
    /// <param name="failure">What its caller gets; <c>null</c> for a result.</param>
    /// <param name="isTimed">Whether the time until here is known also where its phases are not.</param>
    public void Returned(int version, Exception? failure, bool isTimed)
    {
        if (Version != version)
        {
            return;
        }

        _failure = failure;
        _phase = RecordedPhase.Write;
        if (isTimed || _weight != 0)
        {
            Volatile.Write(ref _returned, Now());
        }
    }

    /// <summary>The call has been answered: what it took is counted, and the place is free. A request that has not become a call is not counted.</summary>
    public override void End()
    {
        var (record, trace, processId, weight, phase) = (_record, _trace, _processId, _weight, _phase);

        // The request was answered before its call had an outcome: it may still run.
        var failure = phase == RecordedPhase.Write ? _failure : NotAwaited;
        var times = phase == RecordedPhase.Bind ? default : Times(time.GetTimestamp());

        // A fence: the next call's stores must not be seen with this version, and a thread that cancels this call either sees that it has ended, or is seen here.
        Interlocked.Increment(ref _version);
        if (Volatile.Read(ref _canceller) is not 0 and var canceller && canceller != Environment.CurrentManagedThreadId)
        {
            SpinWait.SpinUntil(() => Volatile.Read(ref _canceller) == 0);
        }

        _source?.Dispose();
        (_failure, _token, _transport, _kind, _source, _caller) = (null, default, null, null, null, null);
        if (phase != RecordedPhase.Bind)
        {
            record.Ended(times, weight, failure, trace, processId, time);
        }
    }

    /// <summary>Cancels the call: over its transport its caller is cut off, and from code its token fires. One thread at a time.</summary>
    /// <param name="id">Which call.</param>
    /// <returns><c>false</c> where it has ended, or cannot be cancelled.</returns>
    public bool TryCancel(long id)
    {
        // From here the call does not end on another thread, so that its transport is no other call's.
        Interlocked.Exchange(ref _canceller, Environment.CurrentManagedThreadId);
        try
        {
            if (Version is var version && ((version & 1) != 0 || IdAt(version) != id))
            {
                return false;
            }

            if (_kind is { } kind && _transport is { } transport)
            {
                kind.Abort(transport);
            }
            else if (_source is { } source)
            {
                // What is registered is code of the application: it runs elsewhere.
                _ = source.CancelAsync();
            }
            else
            {
                return false;
            }

            return true;
        }
        finally
        {
            Volatile.Write(ref _canceller, 0);
        }
    }

    /// <summary>Reads the call.</summary>
    /// <returns><c>false</c> when no call has the place, or it ended during this.</returns>
    public bool TryRead(out RunningCallReading reading)
    {
        reading = default;
        var version = Version;
        if ((version & 1) != 0)
        {
            return false;
        }

        var (record, trace, token, phase, processId) = (_record, _trace, _token, _phase, Volatile.Read(ref _processId));
        var (caller, canCancel) = (_caller, _kind is not null || _source is not null);
        if (phase == RecordedPhase.Queue && Volatile.Read(ref _assigned) != 0)
        {
            phase = processId == 0 ? RecordedPhase.Run : RecordedPhase.Assigned;
        }

        var times = Times(time.GetTimestamp());
        Interlocked.MemoryBarrier();
        if (Version != version)
        {
            return false;
        }

        reading = new RunningCallReading(IdAt(version), record.Operation, phase, times, trace, processId, token.IsCancellationRequested) { Caller = caller, CanCancel = canCancel };
        return true;
    }

    private long IdAt(int version) => ((long)(version / 2) << IndexBits) | (uint)index;

    // By digits of the clock that no caller chooses: calls that alternate must not be sampled in turn.
    private static bool IsSampled(long now) => (uint)now * 2_654_435_769u >> (32 - SampleBits) == 0;

    // A clock may begin at 0, which says that it has not happened.
    private long Now() => Math.Max(1, time.GetTimestamp());

    // What has not happened yet begins now. Another thread assigns the call: its clock may be a little behind.
    private PhaseTimes Times(long now)
    {
        var (began, entered, executing, assigned, returned) = (_began, Volatile.Read(ref _entered), Volatile.Read(ref _executing), Volatile.Read(ref _assigned), Volatile.Read(ref _returned));
        returned = returned == 0 ? now : returned;
        if (_weight == 0)
        {
            return PhaseTimes.Of(Between(began, returned)) with { Write = Between(returned, now) };
        }

        entered = entered == 0 ? returned : entered;
        executing = executing == 0 ? returned : executing;
        assigned = assigned != 0 ? Math.Clamp(assigned, executing, Math.Max(executing, returned)) : _queues ? returned : executing;
        return new PhaseTimes(Between(began, entered), Between(entered, executing), Between(executing, assigned), Between(assigned, returned), Between(returned, now));
    }

    private TimeSpan Between(long from, long to) => to <= from ? TimeSpan.Zero : time.GetElapsedTime(from, to);
}
