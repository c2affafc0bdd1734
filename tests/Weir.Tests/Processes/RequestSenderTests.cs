using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Contract;

namespace Weir.Tests.Processes;

/// <summary>The caller's items on their way to a worker that the test simulates.</summary>
public sealed class RequestSenderTests : IAsyncDisposable
{
    private readonly ManualLauncher _launcher = new();
    private readonly Operation _operation = SumCall.NewOperation();
    private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly WorkerPool _pool;
    private ManualWorker? _worker;
    private int _given;

    public RequestSenderTests() => _pool = new WorkerPool(
        new PoolDefinition
        {
            Name = "test",
            Options = new PoolOptions { MinWorkers = 0, MaxWorkers = 1 },
            Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
            Launcher = _launcher,
            Operations = [_operation],
            Loggers = NullLoggerFactory.Instance,
            Time = new ManualTime(),
        },
        []);

    public async ValueTask DisposeAsync()
    {
        _worker?.Exit(new ExitReport(0, null));
        await _pool.DisposeAsync();
    }

    [Fact]
    public async Task Nothing_is_enumerated_before_it_is_requested_and_then_no_more_than_the_credit_and_one_item()
    {
        var (running, worker) = await StartAsync(Numbers(3));
        Assert.Equal(0, Volatile.Read(ref _given));

        // An item of one digit costs 17: 20 is two of them, with 14 bytes overdrawn.
        Grant(worker, 20);
        Assert.Equal("1", (await ExpectAsync(worker, FrameType.Item)).Text);
        Assert.Equal("2", (await ExpectAsync(worker, FrameType.Item)).Text);
        Grant(worker, 14);
        Grant(worker, 1);
        Assert.Equal("3", (await ExpectAsync(worker, FrameType.Item)).Text);
        await ExpectAsync(worker, FrameType.End);
        await WithinAsync(_disposed.Task);
        Answer(worker);
        await WithinAsync(running);
    }

    [Fact]
    public async Task A_failure_of_the_items_reaches_the_worker_as_a_message_and_the_caller_as_the_thrown_exception()
    {
        var failure = new FormatException("line 3");
        var (running, worker) = await StartAsync(Numbers(1, failure));
        Grant(worker, 1000);
        await ExpectAsync(worker, FrameType.Item);
        var abort = AbortPayload.Read((await ExpectAsync(worker, FrameType.Abort)).Payload);
        Assert.Equal((AbortReason.CallerFailed, "System.FormatException: line 3"), (abort.Reason, abort.Message));
        worker.DataStream.Deliver(static frames => ErrorPayload.Write(frames, 1, ErrorKind.Cancelled));
        Assert.Same(failure, await Assert.ThrowsAsync<FormatException>(() => WithinAsync(running)));
    }

    [Fact]
    public async Task A_call_that_is_abandoned_although_its_items_did_not_fail_has_its_own_failure()
    {
        var (running, worker) = await StartAsync(Numbers(1));
        worker.DataStream.Deliver(static frames => ErrorPayload.Write(frames, 1, ErrorKind.Cancelled));
        await Assert.ThrowsAsync<RemoteException>(() => WithinAsync(running));
        Assert.Equal(0, Volatile.Read(ref _given));
    }

    [Fact]
    public async Task A_result_stops_the_items_at_any_point()
    {
        var (running, worker) = await StartAsync(Numbers(int.MaxValue));
        Grant(worker, 20);
        await ExpectAsync(worker, FrameType.Item);
        await ExpectAsync(worker, FrameType.Item);
        Answer(worker);
        await WithinAsync(running);
        await WithinAsync(_disposed.Task);
        Assert.Equal(3, Volatile.Read(ref _given));
    }

    [Fact]
    public async Task Credit_for_a_call_that_has_ended_is_a_violation()
    {
        var (running, worker) = await StartAsync(Numbers(1));
        Answer(worker);
        await WithinAsync(running);
        Grant(worker, 20);
        await WithinAsync(worker.Killed.Task);
    }

    private async Task<(Task Running, ManualWorker Worker)> StartAsync(IAsyncEnumerable<int> numbers)
    {
        var call = (SumCall)_operation.CreateCall(_operation);
        call.Numbers = numbers;
        var running = _pool.Pipeline.RunAsync(call, new CallRequest { Admission = CallAdmission.Wait }).AsTask();
        _worker = await _launcher.NextAsync();
        var hello = HelloPayload.Read((await _worker.ControlStream.NextAsync()).Payload);
        Assert.Equal(Capabilities.RequestStreams | Capabilities.CallContext | Capabilities.Stack, hello.Capabilities);
        _worker.ControlStream.Deliver(static frames => new ReadyPayload { Capabilities = Capabilities.RequestStreams, Operations = [new("Some/Sum", 0)] }.Write(frames));
        await ExpectAsync(_worker, FrameType.Call);
        _worker.DataStream.Deliver(static frames => frames.Append(FrameType.Started, 1));
        return (running, _worker);
    }

    private async IAsyncEnumerable<int> Numbers(int count, Exception? failure = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        try
        {
            for (var number = 1; number <= count; number++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await Task.Yield();
                Interlocked.Increment(ref _given);
                yield return number;
            }

            if (failure is not null)
            {
                throw failure;
            }
        }
        finally
        {
            _disposed.SetResult();
        }
    }

    private static async Task<SentFrame> ExpectAsync(ManualWorker worker, FrameType type)
    {
        var frame = await worker.DataStream.NextAsync();
        Assert.Equal((type, 1ul), (frame.Type, frame.CallId));
        return frame;
    }

    private static void Grant(ManualWorker worker, uint bytes) => worker.DataStream.Deliver(frames => new CreditPayload(bytes).Write(frames, 1));

    private static void Answer(ManualWorker worker) => worker.DataStream.Deliver(static frames =>
    {
        frames.Begin(FrameType.Result, 1);
        frames.Write("6"u8);
        frames.End();
    });

    private static Task WithinAsync(Task task) => task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System, TestContext.Current.CancellationToken);
}
