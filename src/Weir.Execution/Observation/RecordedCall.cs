using System.Diagnostics;

namespace Weir.Execution.Observation;

/// <summary>
/// A place for one call that runs now: written by the flow of the call with plain stores, and read by other threads, which notice by its version when
/// the call has ended, or another one has taken the place, while they read.
/// </summary>
/// <param name="index">Which place it is.</param>
/// <param name="time">The clock.</param>
internal sealed class RecordedCall(int index, TimeProvider time)
{
    // Ids have the place in their last bits.
    private const int IndexBits = 12;

    // Odd while no call has the place. Changed only by the flow that has the place.
    private int _version = 1;

    private OperationRecord _record = null!;
    private ActivityTraceId _trace;
    private CancellationToken _token;
    private long _began;
    private bool _queues;

    // Timestamps; 0 until then. The last is written by the thread that assigns the call.
    private long _executing;
    private long _assigned;
    private int _processId;

    /// <summary>How many places there are at most.</summary>
    public const int Most = 1 << IndexBits;

    /// <summary>Changes when the call ends: code that keeps the place for <see cref="Assigned"/> keeps this, too.</summary>
    public int Version => Volatile.Read(ref _version);

    /// <summary>Whether a call has the place.</summary>
    public bool IsInUse => (Version & 1) == 0;

    /// <summary>A call takes the place, which is free.</summary>
    public void Begin(OperationRecord record, ActivityTraceId trace, long now, CancellationToken token)
    {
        _record = record;
        _trace = trace;
        _token = token;
        _began = now;
        _executing = _assigned = 0;
        _processId = 0;
        _queues = false;

        // A full fence: the recorder either sees the call, or this sees that the recorder sleeps.
        Interlocked.Increment(ref _version);
    }

    /// <summary>Its filters are over.</summary>
    /// <param name="queues">Whether it may wait where it runs: for a worker, or a thread of the lane.</param>
    public void Executing(bool queues)
    {
        _queues = queues;
        Volatile.Write(ref _executing, Now());
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

    /// <summary>The call has ended: what it took is counted, and the place is free.</summary>
    public void End(Exception? failure)
    {
        var (record, trace, processId) = (_record, _trace, _processId);
        var times = Times(_began, _executing, _assigned, _queues, time.GetTimestamp());

        // A fence: the next call's stores must not be seen with this version.
        Interlocked.Increment(ref _version);
        record.Ended(times, failure, trace, processId, time);
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

        var (record, trace, token, began, queues) = (_record, _trace, _token, _began, _queues);
        var (executing, assigned, processId) = (Volatile.Read(ref _executing), Volatile.Read(ref _assigned), Volatile.Read(ref _processId));
        Interlocked.MemoryBarrier();
        if (Version != version)
        {
            return false;
        }

        var times = Times(began, executing, assigned, queues, time.GetTimestamp());
        var phase = assigned != 0 && processId != 0 ? RecordedPhase.Assigned
            : executing == 0 ? RecordedPhase.Filters
            : assigned == 0 && queues ? RecordedPhase.Queue
            : RecordedPhase.Run;
        reading = new RunningCallReading(((long)(version / 2) << IndexBits) | (uint)index, record.Operation, phase, times, trace, processId, token.IsCancellationRequested);
        return true;
    }

    // A clock may begin at 0, which says that it has not happened.
    private long Now() => Math.Max(1, time.GetTimestamp());

    // A call that never reached its executor spent all its time before it; one that was never assigned spent the rest where it waited, or runs on its caller's flow.
    private PhaseTimes Times(long began, long executing, long assigned, bool queues, long now)
    {
        if (executing == 0)
        {
            return new PhaseTimes(time.GetElapsedTime(began, now), default, default);
        }

        // Another thread assigns it: its clock may be a little behind.
        assigned = assigned != 0 ? Math.Clamp(assigned, executing, now) : queues ? now : executing;
        return new PhaseTimes(time.GetElapsedTime(began, executing), time.GetElapsedTime(executing, assigned), time.GetElapsedTime(assigned, now));
    }
}
