using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Execution;

namespace Weir.Tests.Processes;

/// <summary>What a crash report says of the last calls of a worker.</summary>
public sealed class CallHistoryTests
{
    private static readonly Operation Operation = new()
    {
        Name = "Run",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "test",
        ResultKind = ResultKind.Value,
        Signature = 0,
        CreateCall = static operation => new DelegateCall(operation, static _ => 0),
    };

    private readonly ManualTime _time = new();
    private readonly PoolClock _clock;
    private readonly WorkerEntry _worker = new(0) { State = WorkerState.Busy };
    private readonly CallHistory _history = new();

    static CallHistoryTests() => _ = new Service { Name = "Test", TypeName = "Test", CreateInstance = static _ => new object(), Operations = [Operation] };

    public CallHistoryTests() => _clock = new PoolClock(_time);

    [Fact]
    public void A_call_that_ended_its_worker_before_its_start_was_noticed_ran_no_longer_than_the_worker_had_it()
    {
        _time.Advance(TimeSpan.FromSeconds(5));
        Send(1);
        _time.Advance(TimeSpan.FromMilliseconds(30));
        _history.Ended(_worker, startedThrough: 1, _clock);
        Assert.Equal([new CrashReportCall(1, "Test/Run", "running", TimeSpan.FromMilliseconds(30))], _history.Describe());
        Assert.True(_history.FailedRunning);
    }

    [Fact]
    public void The_start_of_the_previous_call_is_not_its_own()
    {
        _worker.StartedAt = TimeSpan.FromSeconds(1);
        _worker.StartedThrough = 1;
        _time.Advance(TimeSpan.FromSeconds(5));
        Send(2);
        Send(3);
        _time.Advance(TimeSpan.FromMilliseconds(30));
        _history.Ended(_worker, startedThrough: 2, _clock);
        Assert.Equal(
            [new CrashReportCall(2, "Test/Run", "running", TimeSpan.FromMilliseconds(30)), new CrashReportCall(3, "Test/Run", "not started", TimeSpan.Zero)],
            _history.Describe());
    }

    [Fact]
    public void A_call_that_ran_out_of_memory_was_running_although_it_was_answered()
    {
        var call = Send(1);
        _time.Advance(TimeSpan.FromMilliseconds(30));
        Answer(call, ErrorKind.OutOfMemory);
        _time.Advance(TimeSpan.FromMilliseconds(500));
        _history.Ended(_worker, startedThrough: 1, _clock);
        Assert.Equal([new CrashReportCall(1, "Test/Run", "running", TimeSpan.FromMilliseconds(30))], _history.Describe());
        Assert.True(_history.FailedRunning);
    }

    [Fact]
    public void The_operation_of_a_call_is_known_for_a_while_after_its_answer()
    {
        Assert.Null(_history.OperationOf(1));
        for (var id = 1u; id <= CallHistory.Kept + 1; id++)
        {
            Answer(Send(id), ErrorKind.Cancelled);
        }

        Assert.Null(_history.OperationOf(1));
        Assert.Same(Operation, _history.OperationOf(2));
        Assert.Same(Operation, _history.OperationOf(CallHistory.Kept + 1));
    }

    private void Answer(PoolCall call, ErrorKind kind)
    {
        var answers = new ReceivedAnswers();
        using var frames = new FrameWriter();
        ErrorPayload.Write(frames, call.CallId, kind);
        frames.TryPeek(out var bytes);
        using var reader = new FrameReader(FrameRoute.DataUp);
        reader.Append(bytes.Span);
        Assert.True(reader.TryRead(out var frame));
        answers.Add(frame);
        answers.Answers[0].Call = call;
        _worker.Sent.Remove(call);
        _history.Answered(_worker, answers.Answers, _clock);
    }

    private PoolCall Send(ulong callId)
    {
        var call = new PoolCall(null!) { CallId = callId, SentAt = _clock.Now };
        call.Begin(Operation.CreateCall(Operation), default);
        _worker.Sent.AddLast(call);
        return call;
    }
}
