using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Protocol.SharedMemory;

namespace Weir.Execution.Pools.Transport;

/// <summary>
/// Reports to the pool what one worker answered, and completes the calls: answers that were read together are one event. Only on the
/// thread that reads the worker's channel, one thread at a time.
/// </summary>
/// <param name="connection">The connection of the worker.</param>
/// <param name="core">The pool.</param>
/// <param name="reports">What the pool tells of it.</param>
/// <param name="pool">The name of the pool.</param>
internal sealed class CompletionProcessor(WorkerConnection connection, PoolCore core, PoolReports reports, string pool) : IAnswerCompletion
{
    private readonly ReceivedAnswers _answers = new();
    private SharedMemoryTotals _totals;

    /// <summary>Keeps a RESULT, or an ERROR that can be read, until <see cref="Report"/> reports it.</summary>
    public void Keep(in Frame answer) => _answers.Add(answer);

    /// <summary>Reports what was kept. Afterwards nothing refers to the frames' bytes.</summary>
    /// <exception cref="FrameException">One of them is not an answer to a call that runs; the calls before it have their outcomes.</exception>
    public void Report()
    {
        if (_answers.Count == 0)
        {
            return;
        }

        connection.Memory?.Note();
        var count = core.Answered(connection.Worker, _answers.Answers, Measure(), this);

        // What was wrong with the first frame that was not an answer.
        var wrong = count < _answers.Count ? Unexpected(_answers.Frame(count)) : null;
        _answers.Clear();
        if (wrong is not null)
        {
            throw wrong;
        }
    }

    /// <summary>The exception for a frame that is not allowed where it came.</summary>
    public static FrameException Unexpected(in Frame frame) => new(
        FrameError.UnexpectedFrame,
        $"{frame.Type} of call {frame.CallId} with flags {frame.Flags}, which does not run or must not be answered with this frame");

    void IAnswerCompletion.Release() => connection.ReleaseData(_answers.Answers);

    void IAnswerCompletion.Complete(int count)
    {
        reports.Tally.Succeeded(ReceivedAnswers.CountResults(_answers.Answers[..count]));
        for (var i = 0; i < count; i++)
        {
            if (_answers.Answers[i] is { IsOutcome: true, Call: PoolCall call })
            {
                End(call, _answers.Frame(i));
            }
            else if (_answers.Answers[i].Call is PoolCall { Items: not null } stream)
            {
                LogStop(stream);
            }
        }
    }

    // The caller of a stream cancelled or disconnected before, and now its producer has stopped. A logger is foreign code, and this thread reads for other calls too.
    private void LogStop(PoolCall stream) => Callbacks.Queue(
        (Processor: this, Stop: (stream.Call.Operation, connection.Worker.ProcessId, After: core.Clock.Now - stream.CancelledAt)),
        static one => one.Processor.LogStop(one.Stop),
        (_, failure) => reports.CallbackFailed(failure, "logging the end of a producer"));

    private void LogStop((Operation Operation, int ProcessId, TimeSpan After) stop) => reports.Log.Write(
        (stop, Name: pool), static (logger, one) => PoolLog.ProducerStopped(logger, one.stop.Operation.FullName, one.stop.ProcessId, one.Name, one.stop.After.TotalMilliseconds));

    private void End(PoolCall call, in Frame answer)
    {
        if (answer.Type == FrameType.Result)
        {
            call.Succeed(answer);
            return;
        }

        try
        {
            var error = ErrorPayload.Read(answer.Payload);
            if (CallExceptions.IsDeclared(error, call.Call.Operation))
            {
                // The constructor is the user's code, and this thread reads for other calls too.
                Callbacks.Queue(
                    (Processor: this, Call: call, Error: error), static one => one.Processor.Fail(one.Call, one.Error), (_, failure) => reports.CallbackFailed(failure, "completing a call"));
            }
            else
            {
                Fail(call, error);
            }
        }
        catch (Exception failure)
        {
            // No memory to read it, for example: this call gets an outcome all the same, and so do those behind it.
            call.Fail(failure);
        }
    }

    // Even when the exception cannot be created there is an outcome, for this call and for those behind it.
    private void Fail(PoolCall call, ErrorPayload error)
    {
        Exception failure;
        try
        {
            // If the operation gave up because its items had failed, the caller gets the failure of the items.
            var cause = error.Kind == ErrorKind.Cancelled ? call.Request?.Failure : null;
            failure = cause ?? reports.Exceptions.Of(error, call.Call.Operation, connection.Worker.ProcessId, connection.Worker.ReportId);
        }
        catch (Exception thrown)
        {
            failure = thrown;
        }

        call.Fail(failure);
    }

    // The mean of the calls that completed since the last measurement: good for an estimate, whatever values the worker reports.
    private TimeSpan Measure()
    {
        if (connection.SharedMemory is not { } region)
        {
            return TimeSpan.Zero;
        }

        var before = _totals;
        _totals = region.ReadTotals();
        var done = _totals.Done - before.Done;
        var busy = _totals.BusyNanoseconds - before.BusyNanoseconds;
        return done is > 0 and <= int.MaxValue && busy <= long.MaxValue ? new TimeSpan(Math.Max(1, (long)(busy / done) / TimeSpan.NanosecondsPerTick)) : TimeSpan.Zero;
    }
}
