using System.Diagnostics;
using Weir.Execution.Threading;

namespace Weir.Execution.Diagnostics;

/// <summary>
/// The spans of one call in a pool, created only while there is a listener of the activity source <c>Weir</c>. One span is for the time until
/// a worker was sent the call, one for the time that it ran there, whose id the worker knows as its parent. Listeners are foreign code: they
/// are called on the caller's thread when it begins, and otherwise on the thread pool.
/// </summary>
internal sealed class CallSpans : IWorkItem
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

    private CallSpans(Operation operation, PoolMetrics metrics, TimeProvider time, Activity running, ActivityContext parent)
    {
        _operation = operation;
        _metrics = metrics;
        _time = time;
        _began = time.GetTimestamp();
        _beganAt = time.GetUtcNow();
        _parent = parent;
        Running = running;
    }

    /// <summary>The span of the time in a worker.</summary>
    public Activity Running { get; }

    /// <summary>A call arrives; on its caller's flow.</summary>
    /// <returns><c>null</c> where no listener wants its spans.</returns>
    public static CallSpans? TryBegin(Operation operation, PoolMetrics metrics, TimeProvider time)
    {
        var caller = Activity.Current;
        if (Source.StartActivity(operation.FullName, ActivityKind.Client) is not { } running)
        {
            return null;
        }

        // The caller continues in its own span.
        Activity.Current = caller;
        return new CallSpans(operation, metrics, time, running, caller?.Context ?? running.Context);
    }

    /// <summary>Its frame is written for a worker; the last time counts. Any thread.</summary>
    public void Sent() => _sent = _time.GetTimestamp();

    /// <summary>The call has completed. Called once; calls no listener.</summary>
    /// <param name="failure">The exception that its caller gets; <c>null</c> for a result.</param>
    /// <param name="status">The status of that outcome.</param>
    public void Complete(Exception? failure, CallStatus status)
    {
        _ended = _time.GetTimestamp();
        _failure = failure;
        _status = status;
        Callbacks.Queue(this);
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

        Running.SetStartTime(At(sent).UtcDateTime);
        Running.SetEndTime(At(_ended).UtcDateTime);
        Running.SetTag(WeirMeter.PoolTag, _metrics.Tag.Value);
        Running.SetTag(WeirMeter.TagOf(_status).Key, WeirMeter.TagOf(_status).Value);
        if (_failure is { } failure)
        {
            Running.SetTag("error.type", failure.GetType().FullName);
            Running.SetStatus(ActivityStatusCode.Error, _status.ToString());
        }

        Running.Stop();
    }

    private DateTimeOffset At(long timestamp) => _beganAt + _time.GetElapsedTime(_began, timestamp);
}
