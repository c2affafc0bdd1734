using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Diagnostics;
using Weir.Execution.Inline;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Architecture;
using Weir.Tests.Processes;

namespace Weir.Tests.Execution;

public sealed class MeterTests : IDisposable
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
    private readonly RecordedMeter _meter = new();

    static MeterTests() => _ = new Service { Name = "Meter", TypeName = "Meter", CreateInstance = static _ => new object(), Operations = [Operation] };

    public void Dispose() => _meter.Dispose();

    [Fact]
    public void The_guide_has_every_instrument_with_its_kind_and_unit()
    {
        // | `name` | kind | `unit` | …
        var rows = Repository.Read("docs/guide/meters.md").Split('\n').Where(static line => line.StartsWith("| `weir.", StringComparison.Ordinal) && !line.StartsWith("| `weir.job.", StringComparison.Ordinal));
        var written = rows.Select(static row => row.Split('|')).Select(static cells => $"{Cell(cells[1])} {Cell(cells[2])} {Cell(cells[3])}");
        Assert.Equal(written.Order(), _meter.Instruments.Select(static one => $"{one.Name} {KindOf(one)} {one.Unit}").Order());
        Assert.All(_meter.Instruments, static one => Assert.NotEmpty(one.Description!));

        static string Cell(string text) => text.Trim().Trim('`');
    }

    [Fact]
    public void Times_in_seconds_come_with_buckets_for_seconds_and_the_guide_names_them()
    {
        var times = _meter.Instruments.OfType<Histogram<double>>().ToArray();
        Assert.Equal(4, times.Length);
        Assert.All(times, static one => Assert.Equal("s", one.Unit));
        var guide = Repository.Read("docs/guide/meters.md");
        Assert.All(times, one =>
        {
            var buckets = one.Advice!.HistogramBucketBoundaries!;
            Assert.Equal(buckets.Order(), buckets);
            Assert.Contains(string.Join(", ", buckets.Select(static bound => bound.ToString(System.Globalization.CultureInfo.InvariantCulture))), guide, StringComparison.Ordinal);
        });
    }

    [Fact]
    public async Task The_guide_names_every_status_and_every_kind_of_worker_exit()
    {
        var guide = Repository.Read("docs/guide/meters.md");
        await using var pool = Pool(_meter);
        var tags = _meter.Collect().Keys.Where(static name => name.Split(' ').Length == 3).Select(static name => name.Split(' ')[2]).Distinct().ToList();
        Assert.Equal(Enum.GetValues<CallStatus>().Length + Enum.GetValues<WorkerExitKind>().Length + 4 - 1, tags.Count);
        Assert.All(tags, tag => Assert.Contains($"`{tag}`", guide, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_pool_is_counted_from_its_first_worker_to_its_last()
    {
        await using var pool = Pool(_meter);
        var running = pool.Value.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask();
        var worker = await _launcher.NextAsync();
        var waiting = _meter.Collect();
        Assert.Equal((1, 1, 1), (waiting["weir.pool.workers test starting"], waiting["weir.pool.queue.length test"], waiting["weir.pool.workers.started test"]));

        while (_time.ActiveTimers == 0)
        {
            await Task.Yield();
        }

        _time.Advance(TimeSpan.FromSeconds(3));
        Answer(worker);
        await running;
        var served = _meter.Collect();
        Assert.Equal((1, 0), (served["weir.pool.workers test idle"], served["weir.pool.queue.length test"]));
        Assert.Equal((1, 0), (served["weir.pool.calls test ok"], served["weir.pool.calls test worker_lost"]));
        await UntilAsync(() => Times().Length == 3);
        Assert.Equal([$"weir.pool.call.time test {Operation.FullName} ok 3", "weir.pool.queue.time test 3", "weir.pool.start.time test 3"], Times());

        worker.Exit(new ExitReport(3, null));
        await UntilAsync(() => _meter.Collect()["weir.pool.workers test idle"] == 0 && _meter.Collect()["weir.pool.workers test exiting"] == 0);
        Assert.Equal((1, 0), (_meter.Collect()["weir.pool.workers.ended test idle"], _meter.Collect()["weir.pool.workers.ended test drained"]));

        await pool.Value.DrainAsync(TestContext.Current.CancellationToken);
        Assert.Empty(_meter.Collect());
    }

    [Fact]
    public async Task Nothing_is_timed_without_a_listener()
    {
        using var quiet = new RecordedMeter(measures: false);
        await using var pool = Pool(quiet);
        var running = pool.Value.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask();
        await AnswerAsync();
        await running;
        Assert.Equal(1, quiet.Collect()["weir.pool.calls test ok"]);
        Assert.Empty(quiet.Times);
    }

    [Fact]
    public async Task A_listener_that_throws_does_not_prevent_a_call_from_completing()
    {
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (_meter.Instruments.Contains(instrument))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        var measured = 0;
        listener.SetMeasurementEventCallback<double>((_, _, _, _) =>
        {
            Interlocked.Increment(ref measured);
            throw new InvalidOperationException("of a listener");
        });
        listener.Start();

        await using var pool = Pool(_meter);
        var running = pool.Value.Pipeline.RunAsync(Operation.CreateCall(Operation), default).AsTask();
        await AnswerAsync();
        await running;
        await UntilAsync(() => Volatile.Read(ref measured) == 3);
    }

    public static TheoryData<Exception, bool, CallStatus> Endings => new()
    {
        { new BindingException([]), false, CallStatus.BadRequest },
        { new CallRejectedException(WeirCodes.QueueFull, "x"), false, CallStatus.Rejected },
        { new WorkerLostException(WeirCodes.WorkerLost, "x", "p", 1, "c"), false, CallStatus.WorkerLost },
        { new RemoteException("T", "x", null, "p", 1), false, CallStatus.HandlerFailed },
        { new ProtocolViolationException("x"), false, CallStatus.ProtocolViolation },
        { new OperationCanceledException(), false, CallStatus.Cancelled },
        { new OperationCanceledException(), true, CallStatus.DeadlineExceeded },
        { new FormatException("declared by the operation"), false, CallStatus.HandlerFailed },
    };

    [Theory]
    [MemberData(nameof(Endings))]
    public void Every_outcome_has_one_status(Exception failure, bool isLate, CallStatus status)
    {
        var tally = new PoolMetrics("test", _meter.Weir);
        _meter.Weir.Add(tally, static () => default);
        tally.Failed(failure, isLate ? CancelReason.Deadline : CancelReason.Caller);
        var counts = _meter.Collect();
        Assert.All(Enum.GetValues<CallStatus>(), one => Assert.Equal(one == status ? 1 : 0, counts[$"weir.pool.calls test {Snake($"{one}")}"]));
    }

    [Fact]
    public void Every_kind_of_worker_exit_is_counted_under_its_name()
    {
        var tally = new PoolMetrics("test", _meter.Weir);
        _meter.Weir.Add(tally, static () => default);
        foreach (var end in Enum.GetValues<WorkerExitKind>())
        {
            tally.Ended(end);
            var counts = _meter.Collect();
            Assert.All(Enum.GetValues<WorkerExitKind>(), one => Assert.Equal(one <= end ? 1 : 0, counts[$"weir.pool.workers.ended test {Snake($"{one}")}"]));
        }
    }

    [Fact]
    public void Results_are_counted_once_and_only_where_they_complete_a_call()
    {
        var tally = new PoolMetrics("test", _meter.Weir);
        const int Result = (int)FrameType.Result << 8;
        const int Error = (int)FrameType.Error << 8;
        tally.Succeeded(ReceivedAnswers.CountResults([new Answer(1, Result) { IsOutcome = true }, new Answer(2, Result), new Answer(3, Error) { IsOutcome = true }, new Answer(4, Result) { IsOutcome = true }]));
        Assert.Equal(2, tally.Calls(CallStatus.Ok));
    }

    [Fact]
    public void A_wait_ends_with_the_first_worker()
    {
        var table = new PoolTable(new PoolSettings
        {
            MinWorkers = 0,
            MaxWorkers = 1,
            QueueLimit = 3,
            IdleTimeout = null,
            CancelGrace = TimeSpan.Zero,
            RestartBudget = 5,
            MostStarting = 1,
        });
        var actions = new PoolActions { MeasuresWaits = true };
        var call = new PrintedCall { IsIdempotent = true };
        var worker = StartWorker(0, () => PoolDecisions.Enter(table, call, At(0), actions));
        Assert.Equal(0, actions.WaitCount);
        WorkerDecisions.Ready(table, worker, hasSharedMemory: false, At(2), actions);
        Assert.Equal([At(2)], actions.Waits.ToArray());

        // The call makes its worker fail: it runs again, and has waited once.
        WorkerDecisions.Started(table, worker, 1, At(2), At(2), actions);
        WorkerDecisions.ChannelEnded(table, worker, 1, At(3), actions);
        Assert.Equal(1, table.Retried);
        var next = StartWorker(4, () => WorkerDecisions.Reaped(table, worker, 0, new WorkerEntry(0), At(4), actions));
        WorkerDecisions.Ready(table, next, hasSharedMemory: false, At(5), actions);
        Assert.Equal(CallState.Sent, call.State);
        Assert.Equal([At(2)], actions.Waits.ToArray());

        WorkerEntry StartWorker(int second, Action decide)
        {
            decide();
            Assert.Equal(1, PoolDecisions.Grow(table, 1, At(second), actions));
            return table.Workers[0];
        }

        static TimeSpan At(int second) => TimeSpan.FromSeconds(second);
    }

    [Fact]
    public void The_lane_is_counted_while_it_is_there()
    {
        Func<LaneSnapshot> lane = static () => new LaneSnapshot(0, 8, 10, Threads: 5, Busy: 2, Queued: 4);
        _meter.Weir.Add(lane);
        var counts = _meter.Collect();
        Assert.Equal((3, 2, 4), (counts["weir.lane.threads idle"], counts["weir.lane.threads busy"], counts["weir.lane.queue.length"]));
        _meter.Weir.Remove(lane);
        Assert.Empty(_meter.Collect());
    }

    [Fact]
    public void Inline_calls_that_blocked_are_counted_while_their_application_runs()
    {
        using var diagnostics = InlineDiagnostics.TryCreate(TimeSpan.FromMilliseconds(20), null, NullLogger.Instance, _meter.Weir, _time)!;
        var detector = diagnostics.Detect(Operation);
        Assert.Empty(_meter.Collect());
        detector.Calls.TookLong();
        detector.Calls.Add(TimeSpan.FromMilliseconds(40), new ThreadTimes(default, default, default, 1));
        Assert.Equal(1, Assert.Single(_meter.Collect(), static one => one.Key == "weir.inline.calls.blocked Meter/Run").Value);
        diagnostics.Dispose();
        Assert.Empty(_meter.Collect());
    }

    private static string KindOf(Instrument instrument) => instrument switch
    {
        ObservableCounter<long> => "counter",
        ObservableUpDownCounter<long> => "up-down counter",
        Histogram<double> => "histogram",
        _ => "?",
    };

    private static string Snake(string name) =>
        string.Concat(name.Select(static (letter, index) => char.IsUpper(letter) ? $"{(index > 0 ? "_" : "")}{char.ToLowerInvariant(letter)}" : $"{letter}"));

    private string[] Times()
    {
        lock (_meter.Times)
        {
            return [.. _meter.Times.Select(static one => $"{one.Name} {one.Seconds}").Order()];
        }
    }

    private static async Task UntilAsync(Func<bool> holds)
    {
        var start = TimeProvider.System.GetTimestamp();
        while (!holds())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < TimeSpan.FromSeconds(20), "never");
            await Task.Yield();
        }
    }

    private async Task AnswerAsync() => Answer(await _launcher.NextAsync());

    // A worker becomes ready and answers its first call.
    private static void Answer(ManualWorker worker)
    {
        worker.ControlStream.Deliver(static frames => new ReadyPayload { Operations = [new("Meter/Run", 0)] }.Write(frames));
        worker.DataStream.Deliver(static frames =>
        {
            frames.Append(FrameType.Started, 1);
            frames.Begin(FrameType.Result, 1);
            frames.Write("0"u8);
            frames.End();
        });
    }

    private OpenPool Pool(RecordedMeter meter) => new(new WorkerPool(
        new PoolDefinition
        {
            Name = "test",
            Options = new PoolOptions { MinWorkers = 0, MaxWorkers = 1 },
            Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
            Launcher = _launcher,
            Operations = [Operation],
            Loggers = NullLoggerFactory.Instance,
            Time = _time,
            Meter = meter.Weir,
        },
        []));

    // Completes what the test left open.
    private sealed class OpenPool : IAsyncDisposable
    {
        public OpenPool(WorkerPool pool)
        {
            Value = pool;
            pool.Open();
        }

        public WorkerPool Value { get; }

        public async ValueTask DisposeAsync() => await Value.DrainAsync(new CancellationToken(canceled: true));
    }
}
