using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Weir.Execution.Pools.Options;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Diagnostics;

/// <summary>What one pool has counted since it was created: the outcomes of its calls, and the exits of its workers. Any thread.</summary>
/// <param name="pool">The pool's name.</param>
/// <param name="meter">Receives the measured times, while it has a listener.</param>
internal sealed class PoolMetrics(string pool, WeirMeter meter)
{
    private static readonly int Statuses = Enum.GetValuesAsUnderlyingType<CallStatus>().Length;
    private static readonly int WorkerEnds = Enum.GetValuesAsUnderlyingType<WorkerExitKind>().Length;

    private readonly long[] _calls = new long[Statuses];
    private readonly long[] _workers = new long[WorkerEnds];
    private readonly MeasurementQueue _waits = new(meter.QueueTime, new(WeirMeter.PoolTag, pool));
    private readonly MeasurementQueue _durations = new(meter.CallTime, new(WeirMeter.PoolTag, pool));

    // By status. As many as the pool has operations that were called while there was a listener.
    private readonly ConcurrentDictionary<Operation, KeyValuePair<string, object?>[][]> _tags = new();

    /// <summary>The tag of the pool for instruments.</summary>
    public KeyValuePair<string, object?> Tag { get; } = new(WeirMeter.PoolTag, pool);

    /// <summary>Whether a listener measures how long calls take.</summary>
    public bool MeasuresCalls => meter.CallTime.Enabled;

    /// <summary>Whether a listener measures how long calls wait.</summary>
    public bool MeasuresWaits => meter.QueueTime.Enabled;

    public long Calls(CallStatus status) => Volatile.Read(ref _calls[(int)status]);

    public long Workers(WorkerExitKind end) => Volatile.Read(ref _workers[(int)end]);

    /// <summary>Calls succeeded; <see cref="Failed"/> counts the others.</summary>
    public void Succeeded(int results)
    {
        if (results > 0)
        {
            Interlocked.Add(ref _calls[(int)CallStatus.Ok], results);
        }
    }

    /// <summary>A call has completed with this outcome.</summary>
    /// <param name="failure">The exception that its caller gets.</param>
    /// <param name="reason">Why it was cancelled, if it was.</param>
    public void Failed(Exception failure, CancelReason reason) => Interlocked.Increment(ref _calls[(int)StatusOf(failure, reason)]);

    /// <summary>A worker is gone.</summary>
    public void Ended(WorkerExitKind end) => Interlocked.Increment(ref _workers[(int)end]);

    /// <summary>A worker is ready. Not under a lock: listeners are foreign code.</summary>
    /// <param name="took">The time from HELLO to READY.</param>
    public void Ready(TimeSpan took) => Record(meter.StartTime, took);

    /// <summary>How many times of calls were not recorded, because a listener was too slow.</summary>
    public long MeasurementsLost => _waits.Lost + _durations.Lost;

    /// <summary>A call has completed: its duration is recorded on the thread pool.</summary>
    public void Took(Operation operation, CallStatus status, TimeSpan time) => _durations.Add(time, _tags.GetOrAdd(operation, static (operation, metrics) => metrics.Tags(operation), this)[(int)status]);

    /// <summary>Calls were assigned to workers: their waiting times are recorded on the thread pool.</summary>
    /// <param name="times">How long each call had waited.</param>
    public void Waited(ReadOnlySpan<TimeSpan> times) => _waits.Add(times);

    // A listener that throws loses its own measurement: the recording thread must still complete calls.
    private void Record(Histogram<double> instrument, TimeSpan time)
    {
        try
        {
            instrument.Record(time.TotalSeconds, Tag);
        }
        catch (Exception)
        {
        }
    }

    private KeyValuePair<string, object?>[][] Tags(Operation operation) =>
        [.. Enum.GetValues<CallStatus>().Select(status => new[] { Tag, new(WeirMeter.OperationTag, operation.FullName), WeirMeter.TagOf(status) })];

    /// <summary>The status of a call that completed with this exception; <c>null</c> for one that succeeded.</summary>
    public static CallStatus StatusOf(Exception? failure, CancelReason reason) => failure switch
    {
        null => CallStatus.Ok,
        WeirException error => error.Status,
        OperationCanceledException => reason == CancelReason.Deadline ? CallStatus.DeadlineExceeded : CallStatus.Cancelled,

        // An exception that the operation declares, re-created in the host.
        _ => CallStatus.HandlerFailed,
    };
}
