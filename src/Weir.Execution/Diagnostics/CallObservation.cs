using System.Diagnostics;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Diagnostics;

/// <summary>
/// What observes one call in a pool: the measurement of its duration, and its spans, each only while it has a listener. A value, because an
/// application that collects metrics measures every call: only spans cost an object. The default value observes nothing.
/// </summary>
internal readonly struct CallObservation
{
    private readonly PoolMetrics? _metrics;
    private readonly TimeProvider _time;
    private readonly CallSpans? _spans;

    // Set only where a listener measured durations when the call arrived.
    private readonly long? _began;

    private CallObservation(Operation operation, PoolMetrics metrics, TimeProvider time)
    {
        _metrics = metrics;
        _time = time;
        _spans = CallSpans.TryBegin(operation, metrics, time);
        _began = metrics.MeasuresCalls ? time.GetTimestamp() : null;
    }

    /// <summary>The span of the time in a worker; <c>null</c> where no listener wants it.</summary>
    public Activity? Running => _spans?.Running;

    /// <summary>A call arrives; on its caller's flow.</summary>
    public static CallObservation Begin(Operation operation, PoolMetrics metrics, TimeProvider time) => new(operation, metrics, time);

    /// <summary>Its frame is written for a worker; the last time counts. Any thread.</summary>
    public void Sent() => _spans?.Sent();

    /// <summary>The call has completed. Called once; calls no listener.</summary>
    /// <param name="operation">The operation that was called.</param>
    /// <param name="failure">The exception that its caller gets; <c>null</c> for a result.</param>
    /// <param name="reason">Why it was cancelled, if it was.</param>
    public void Complete(Operation operation, Exception? failure, CancelReason reason)
    {
        if (_began is { } began)
        {
            _metrics!.Took(operation, PoolMetrics.StatusOf(failure, reason), _time.GetElapsedTime(began));
        }

        _spans?.Complete(failure, PoolMetrics.StatusOf(failure, reason));
    }
}
