using System.Diagnostics;
using Weir.Execution.Threading;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Diagnostics;

/// <summary>
/// The spans of one call in a pool, and the measurement of its duration: created only while there is a listener of the activity source
/// <c>Weir</c> or of the histogram. One span is for the time until a worker was sent the call, one for the time that it ran there, whose id
/// the worker knows as its parent. Listeners are foreign code: they are called on the caller's thread when it begins, and otherwise on the thread pool.
/// </summary>
internal sealed class CallObservation : IWorkItem
{
    private static readonly ActivitySource Source = new(WeirMeter.Name);

    private readonly Operation _operation;
    private readonly PoolMetrics _metrics;
    private readonly TimeProvider _time;

    // Of the span for waiting: the caller's span, or else the other span of the call, so that both are in one trace.
    private readonly ActivityContext _parent;
    private readonly DateTimeOffset _beganAt;
    private readonly long _began;

    // Written by the thread that sends the call, 0 before; read after its completion.
    private long _sent;

    // Written by Complete.
    private long _ended;
    private Exception? _failure;
    private CallStatus _status;

    private CallObservation(Operation operation, PoolMetrics metrics, TimeProvider time)
    {
        _operation = operation;
        _metrics = metrics;
        _time = time;
        _began = time.GetTimestamp();
        _beganAt = time.GetUtcNow();
        var caller = Activity.Current;
        Running = Source.StartActivity(operation.FullName, ActivityKind.Client);
        _parent = caller?.Context ?? Running?.Context ?? default;

        // The caller continues in its own span.
        Activity.Current = caller;
    }

    /// <summary>The span of the time in a worker; <c>null</c> where no listener wants it.</summary>
    public Activity? Running { get; }

    /// <summary>A call arrives; on its caller's flow.</summary>
    /// <returns><c>null</c> while there is no listener.</returns>
    public static CallObservation? TryBegin(Operation operation, PoolMetrics metrics, TimeProvider time)
    {
        if (!Source.HasListeners() && !metrics.MeasuresCalls)
        {
            return null;
        }

        return new CallObservation(operation, metrics, time);
    }

    /// <summary>Its frame is written for a worker; the last time counts. Any thread.</summary>
    public void Sent() => _sent = _time.GetTimestamp();

    /// <summary>The call has completed. Called once; calls no listener.</summary>
    /// <param name="failure">The exception that its caller gets; <c>null</c> for a result.</param>
    /// <param name="reason">Why it was cancelled, if it was.</param>
    public void Complete(Exception? failure, CancelReason reason)
    {
        _ended = _time.GetTimestamp();
        _failure = failure;
        _status = PoolMetrics.StatusOf(failure, reason);
        if (_metrics.MeasuresCalls)
        {
            _metrics.Took(_operation, _status, _time.GetElapsedTime(_began, _ended));
        }

        if (Running is not null)
        {
            Callbacks.Queue(this);
        }
    }

    // A listener that throws loses its own spans.
    void IWorkItem.OnFailed(Exception failure)
    {
    }

    void IWorkItem.Run()
    {
        // A call that was rejected or cancelled before a worker was sent it has waited all the time.
        var sent = _sent == 0 ? _ended : _sent;
        using (var waiting = Source.StartActivity($"{_operation.FullName} wait", ActivityKind.Internal, _parent, startTime: At(_began)))
        {
            waiting?.SetTag(WeirMeter.PoolTag, _metrics.Tag.Value);
            waiting?.SetEndTime(At(sent).UtcDateTime);
        }

        var running = Running!;
        running.SetStartTime(At(sent).UtcDateTime);
        running.SetEndTime(At(_ended).UtcDateTime);
        running.SetTag(WeirMeter.PoolTag, _metrics.Tag.Value);
        running.SetTag(WeirMeter.TagOf(_status).Key, WeirMeter.TagOf(_status).Value);
        if (_failure is { } failure)
        {
            running.SetTag("error.type", failure.GetType().FullName);
            running.SetStatus(ActivityStatusCode.Error, _status.ToString());
        }

        running.Stop();
    }

    private DateTimeOffset At(long timestamp) => _beganAt + _time.GetElapsedTime(_began, timestamp);
}
