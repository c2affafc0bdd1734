using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Weir.Execution.Observation;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Execution;

namespace Weir.Tests.Processes;

/// <summary>Orders of events that occur only rarely with real processes.</summary>
public sealed class WorkerLifeTests : IAsyncDisposable
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
    private readonly ManualLauncher _launcher = new();
    private readonly List<WorkerPool> _pools = [];
    private readonly RecordedLoggers _loggers = new();
    private readonly WorkerObserver _observer = new(TimeProvider.System);
    private StartThrottle? _starts;
    private IConfigurationRoot? _configuration;

    static WorkerLifeTests() => _ = new Service { Name = "Test", TypeName = "Test", CreateInstance = static _ => new object(), Operations = [Operation] };

    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(_pools.Select(static pool => pool.DrainAsync(new CancellationToken(canceled: true))));

    [Fact]
    public async Task A_worker_whose_channel_ends_around_its_READY_is_replaced_once_and_completely()
    {
        // READY is read on one thread and the end of the data channel on another: both orders occur in these rounds.
        for (var round = 0; round < 200; round++)
        {
            var pool = Pool(minimum: 1, operations: []);
            var worker = await _launcher.NextAsync();
            worker.DataStream.End();
            if (round % 2 == 0)
            {
                await worker.DataStream.EndSeen.Task;
            }

            for (var i = 0; i < round % 7; i++)
            {
                await Task.Yield();
            }

            worker.SendReady();
            worker.Exit(new ExitReport(1, null));
            var next = await _launcher.NextAsync();
            next.SendReady();
            await UntilAsync(pool, "idle");

            var draining = pool.DrainAsync(TestContext.Current.CancellationToken);
            next.Exit(new ExitReport(0, null));
            await draining;
            Assert.Empty(pool.Snapshot().Workers);
        }
    }

    [Fact]
    public async Task A_worker_that_answers_wrongly_before_it_ran_a_call_prevents_further_starts()
    {
        var pool = Pool(minimum: 1, operations: [Operation], restartBudget: 1);
        var worker = await _launcher.NextAsync();
        worker.ControlStream.Deliver(static frames => new ReadyPayload { Operations = [new("Test/Run", 0)] }.Write(frames));
        await UntilAsync(pool, "idle");
        worker.DataStream.Deliver(static frames =>
        {
            frames.Begin(FrameType.Result, 7);
            frames.Write("0"u8);
            frames.End();
        });
        await worker.Killed.Task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
        await UntilAsync(() => pool.Snapshot().Workers.Count == 0, "reaped");

        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask());
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.Contains("ended before it ran a call", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_start_timeout_kills_the_worker_and_reports_it_by_the_pools_own_clock()
    {
        await using var pool = Pool(minimum: 0, operations: [Operation]);
        var call = pool.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask();
        var worker = await _launcher.NextAsync();
        while (_time.ActiveTimers == 0)
        {
            await Task.Yield();
        }

        _time.Advance(TimeSpan.FromSeconds(9.9));
        Assert.False(worker.Killed.Task.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(0.2));
        await worker.Killed.Task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => call);
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
    }

    [Fact]
    public async Task A_host_that_was_suspended_restarts_the_grace_of_a_worker_before_it_kills_it()
    {
        var pool = Pool(minimum: 0, operations: [Operation]);
        using var caller = new CancellationTokenSource();
        var call = pool.Pipeline.RunAsync(Operation.CreateCall(Operation), new CallRequest { CancellationToken = caller.Token }).AsTask();
        var worker = await _launcher.NextAsync();
        worker.ControlStream.Deliver(static frames => new ReadyPayload { Operations = [new("Test/Run", 0)] }.Write(frames));
        await UntilAsync(pool, "busy");
        worker.DataStream.Deliver(static frames => frames.Append(FrameType.Started, 1));
        await UntilAsync(() => worker.DataStream.IsHandled, "started");
        _time.Advance(TimeSpan.FromSeconds(1));

        // 1. The caller cancels, and nothing of the host runs for ten seconds.
        _time.TimersAreLateBy = TimeSpan.FromSeconds(8);
        await caller.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        Assert.Equal(TimeSpan.FromSeconds(10), _time.NextTimer);
        _time.TimersAreLateBy = TimeSpan.Zero;
        _time.Advance(TimeSpan.FromSeconds(10));

        // 2. The grace is two seconds.
        _time.Advance(TimeSpan.FromSeconds(1.9));
        Assert.Equal("busy", pool.Snapshot().Workers.Single().State);
        _time.Advance(TimeSpan.FromSeconds(0.2));
        await worker.Killed.Task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
    }

    [Fact]
    public async Task A_host_that_was_suspended_restarts_the_start_timeout_of_a_worker()
    {
        _time.TimersAreLateBy = TimeSpan.FromSeconds(8);
        var pool = Pool(minimum: 1, operations: []);
        var worker = await _launcher.NextAsync();
        while (_time.ActiveTimers == 0)
        {
            await Task.Yield();
        }

        _time.TimersAreLateBy = TimeSpan.Zero;
        _time.Advance(TimeSpan.FromSeconds(18));
        worker.SendReady();
        await UntilAsync(pool, "idle");
        Assert.False(worker.Killed.Task.IsCompleted);
    }

    [Fact]
    public async Task A_start_that_the_operating_system_refuses_rejects_its_call_at_once_with_the_reason()
    {
        _launcher.Refusal = new LaunchException(WeirCodes.WorkerStartRefused, "socketpair failed with errno 24.");
        var pool = Pool(minimum: 0, operations: [Operation]);
        var failure = await Assert.ThrowsAsync<CallRejectedException>(() => pool.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask());
        Assert.Equal((WeirCodes.WorkerStartRefused, CallStatus.Rejected, TimeSpan.FromSeconds(1)), (failure.Code, failure.Status, failure.RetryAfter));
        Assert.Contains("socketpair failed with errno 24", failure.Message, StringComparison.Ordinal);
        await UntilAsync(() => pool.Snapshot().Workers.Count == 0, "reaped");

        // The next call starts a worker again.
        _launcher.Refusal = null;
        _ = pool.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask();
        await _launcher.NextAsync();
    }

    [Fact]
    public async Task A_worker_gets_the_configuration_of_the_moment_it_starts_and_is_not_used_without_one()
    {
        _configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Printer", "p1")]).Build();
        var pool = Pool(minimum: 0, operations: [Operation]);
        _configuration["Printer"] = "p2";
        var call = pool.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask();
        var worker = await _launcher.NextAsync();
        var hello = HelloPayload.Read((await worker.ControlStream.NextAsync()).Payload);
        Assert.Equal([new("Printer", "p2")], hello.Configuration);

        // The next one would get more than HELLO holds.
        _configuration["Text"] = new string('x', 1_000_000);
        worker.Exit(new ExitReport(1, null));
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => call);
        Assert.Equal(WeirCodes.ConfigurationTooLarge, failure.Code);
        Assert.Contains("set InheritedConfiguration", failure.Message, StringComparison.Ordinal);
        worker = await _launcher.NextAsync();
        await worker.Killed.Task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
        Assert.Null(worker.ControlStream.TryNext());
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => pool.ReloadAsync(cancellationToken: TestContext.Current.CancellationToken));
        Assert.Contains(WeirCodes.ConfigurationTooLarge, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_idle_worker_retires_by_the_pools_own_clock_and_no_timer_is_left()
    {
        var pool = Pool(minimum: 0, operations: [Operation]);
        var running = pool.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask();
        var worker = await _launcher.NextAsync();
        worker.ControlStream.Deliver(frames => new ReadyPayload { Operations = [new("Test/Run", 0)] }.Write(frames));
        worker.DataStream.Deliver(static frames =>
        {
            frames.Append(FrameType.Started, 1);
            frames.Begin(FrameType.Result, 1);
            frames.Write("0"u8);
            frames.End();
        });
        await running;

        _time.Advance(TimeSpan.FromSeconds(9.9));
        Assert.Equal(["idle"], pool.Snapshot().Workers.Select(static now => now.State));
        _time.Advance(TimeSpan.FromSeconds(0.2));
        Assert.Equal(["retiring"], pool.Snapshot().Workers.Select(static now => now.State));

        // It does not exit after DRAIN: the grace counts by the pool's clock too.
        _time.Advance(TimeSpan.FromSeconds(2));
        await worker.Killed.Task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
        await pool.DrainAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public async Task A_worker_of_another_pool_starts_when_the_first_is_ready()
    {
        _starts = new StartThrottle(1, _time);
        var (pool, other) = (Pool(minimum: 1, operations: []), Pool(minimum: 1, operations: []));
        var first = await _launcher.NextAsync();
        Assert.Equal(1, _launcher.Launched);
        first.SendReady();
        var second = await _launcher.NextAsync();
        Assert.Equal(2, _launcher.Launched);
        second.SendReady();
        await Task.WhenAll(UntilAsync(pool, "idle"), UntilAsync(other, "idle"));
    }

    [Fact]
    public async Task A_worker_that_cannot_start_passes_its_turn_to_the_next()
    {
        _starts = new StartThrottle(1, _time);
        Pool(minimum: 1, operations: []);
        var first = await _launcher.NextAsync();
        Pool(minimum: 1, operations: []);
        first.Exit(new ExitReport(1, null));
        await _launcher.NextAsync();
    }

    [Fact]
    public async Task A_pool_that_drains_does_not_wait_for_the_turn_of_its_worker_which_is_never_started()
    {
        _starts = new StartThrottle(1, _time);
        Pool(minimum: 1, operations: []);
        await _launcher.NextAsync();
        var other = Pool(minimum: 1, operations: []);
        await UntilAsync(other, "starting");
        await other.DrainAsync(TestContext.Current.CancellationToken);
        Assert.Empty(other.Snapshot().Workers);
        Assert.Equal(1, _launcher.Launched);
    }

    private static Task UntilAsync(WorkerPool pool, string state) => UntilAsync(() => pool.Snapshot().Workers is [var worker] && worker.State == state, state);

    private static async Task UntilAsync(Func<bool> isSo, string what)
    {
        var start = TimeProvider.System.GetTimestamp();
        while (!isSo())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < TimeSpan.FromSeconds(20), $"never {what}");
            await Task.Yield();
        }
    }

    [Fact]
    public async Task What_a_worker_prints_on_standard_error_as_it_dies_is_in_its_report_and_not_logged_again()
    {
        var pool = Pool(minimum: 1, operations: []);
        var worker = await _launcher.NextAsync();
        worker.SendReady();
        await UntilAsync(pool, "idle");
        worker.Output.OnLine(OutputStream.Error, "Process terminated."u8, cut: false);
        worker.Output.OnLine(OutputStream.Standard, "on standard output"u8, cut: false);
        worker.Exit(new ExitReport(1, null));
        var next = await _launcher.NextAsync();

        // One that leaves as it was asked to has no report: what it printed is logged.
        next.SendReady();
        await UntilAsync(pool, "idle");
        next.Output.OnLine(OutputStream.Error, "good bye"u8, cut: false);
        await pool.DrainAsync(new CancellationToken(canceled: true));

        var lost = Assert.Single(_loggers.Records, static record => record.Id == 4304);
        Assert.Equal(LogLevel.Error, lost.Level);
        Assert.Contains("was lost after 0 calls (test-4711-", lost.Text, StringComparison.Ordinal);
        Assert.Equal(["good bye (worker 4711)", "on standard output (worker 4711)"], _loggers.Records.Where(static record => record is { Id: 0, Level: LogLevel.Information }).Select(static record => record.Text).Order());
    }

    [Fact]
    public async Task The_life_of_each_worker_is_in_the_timeline_and_the_report_of_one_that_failed_is_kept()
    {
        var pool = Pool(minimum: 1, operations: []);
        var worker = await _launcher.NextAsync();
        worker.SendReady();
        await UntilAsync(pool, "idle");
        worker.Exit(new ExitReport(3, null));
        var next = await _launcher.NextAsync();
        next.SendReady();
        await UntilAsync(pool, "idle");
        var draining = pool.DrainAsync(TestContext.Current.CancellationToken);
        next.ControlStream.Deliver(static frames => new ByePayload(ByeReason.Drained, "").Write(frames));
        next.Exit(new ExitReport(0, null));
        await draining;

        var events = _observer.Timeline.Read(0, out _);
        Assert.Equal(
            [
                (WorkerEventKind.Started, WorkerEnd.None, 1L), (WorkerEventKind.Ready, WorkerEnd.None, 1), (WorkerEventKind.Ended, WorkerEnd.FailedIdle, 1),
                (WorkerEventKind.Started, WorkerEnd.None, 2), (WorkerEventKind.Ready, WorkerEnd.None, 2), (WorkerEventKind.Ended, WorkerEnd.Drained, 2),
            ],
            events.Select(static one => (one.Kind, one.End, one.Serial)));
        Assert.Equal([events[2].ReportId], _observer.Reports.Summaries.Select(static one => one.Id));
        Assert.Equal("exit code 3", _observer.Reports.Find(events[2].ReportId)!.Cause);
    }

    [Fact]
    public async Task A_recorded_pool_shows_the_call_that_waits_and_then_the_worker_that_has_it()
    {
        _time.Advance(TimeSpan.FromSeconds(1));
        var pool = Pool(minimum: 0, operations: [Operation]);
        var observed = pool.Observe();
        using var recorder = new Recorder(_time, 0, _observer);
        var recording = recorder.Begin(Operation, isFromCode: true, CancellationToken.None);
        var call = pool.Pipeline.RunAsync(Operation.CreateCall(Operation), new CallRequest { Recording = recording.Call }).AsTask();
        var worker = await _launcher.NextAsync();
        await UntilAsync(() => _time.ActiveTimers > 1, "waiting for READY");
        _time.Advance(TimeSpan.FromSeconds(5));
        var reading = observed.Read();
        Assert.Equal((1, 1, 1, 0, TimeSpan.FromSeconds(5)), (reading.Queued, reading.Starting, reading.Workers, reading.Busy, reading.Oldest));
        var waiting = Assert.Single(recorder.ReadCalls(10, out _));
        Assert.Equal((RecordedPhase.Queue, 0, TimeSpan.FromSeconds(5)), (waiting.Phase, waiting.ProcessId, waiting.Times.Queue));

        worker.ControlStream.Deliver(static frames => new ReadyPayload { Operations = [new("Test/Run", 0)] }.Write(frames));
        await UntilAsync(() => recorder.ReadCalls(10, out _).Single().Phase == RecordedPhase.Assigned, "assigned");
        Assert.Equal(4711, recorder.ReadCalls(10, out _).Single().ProcessId);
        _time.Advance(TimeSpan.FromSeconds(1));
        worker.DataStream.Deliver(static frames =>
        {
            frames.Append(FrameType.Started, 1);
            frames.Begin(FrameType.Result, 1);
            frames.Write("0"u8);
            frames.End();
        });
        await call;
        recording.End(null);
        reading = observed.Read();
        Assert.Equal((0, 0, 1, 1, 1L, 0L, 1L), (reading.Queued, reading.Busy, reading.MostQueued, reading.MostBusy, reading.Succeeded, reading.Failed, reading.Started));
        Assert.Null(reading.Oldest);
        reading = observed.Read();
        Assert.Equal((0, 0), (reading.MostQueued, reading.MostBusy));
    }

    private WorkerPool Pool(int minimum, Operation[] operations, int restartBudget = 5)
    {
        var pool = new WorkerPool(
            new PoolDefinition
            {
                Name = "test",
                Options = new PoolOptions { MinWorkers = minimum, MaxWorkers = 1, RestartBudget = restartBudget },
                Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
                Launcher = _launcher,
                Operations = operations,
                HostConfiguration = _configuration,
                Loggers = _loggers,
                Time = _time,
                Starts = _starts,
                Observer = _observer,
            },
            []);
        _pools.Add(pool);
        pool.Open();
        return pool;
    }
}
