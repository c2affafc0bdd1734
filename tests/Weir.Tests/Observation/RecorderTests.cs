using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Inline;
using Weir.Execution.Observation;
using Weir.Execution.Pipeline;
using Weir.Runtime;
using Weir.Tests.Execution;

namespace Weir.Tests.Observation;

public sealed class RecorderTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly WorkerObserver _workers;
    private readonly Recorder _recorder;
    private readonly ScriptedPool _pool = new();

    public RecorderTests()
    {
        _time.Advance(TimeSpan.FromSeconds(1));
        _workers = new WorkerObserver(_time);
        _recorder = new Recorder(_time, 3 << 20, _workers);
    }

    public void Dispose() => _recorder.Dispose();

    [Fact]
    public void It_sleeps_until_the_first_call_and_again_after_a_second_without_activity()
    {
        Assert.Equal((true, 0), (_recorder.IsAsleep, _time.ActiveTimers));
        Call(Some.Operation(), TimeSpan.FromMilliseconds(3));
        Assert.Equal((false, 1), (_recorder.IsAsleep, _time.ActiveTimers));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(_recorder.IsAsleep);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((true, 0), (_recorder.IsAsleep, _time.ActiveTimers));
        _time.Advance(TimeSpan.FromSeconds(60));
        Call(Some.Operation(), TimeSpan.FromMilliseconds(3));
        Assert.False(_recorder.IsAsleep);
    }

    [Fact]
    public void It_stays_awake_while_a_call_runs_a_viewer_looks_or_workers_come_and_go()
    {
        var running = Begin(Some.Operation());
        _time.Advance(TimeSpan.FromSeconds(30));
        Assert.False(_recorder.IsAsleep);
        running.End(null);
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(_recorder.IsAsleep);

        var viewer = _recorder.Watch();
        _time.Advance(TimeSpan.FromSeconds(30));
        Assert.False(_recorder.IsAsleep);
        viewer.Dispose();
        viewer.Dispose();
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(_recorder.IsAsleep);

        _workers.Started("images", 1, 0, 4711);
        Assert.False(_recorder.IsAsleep);
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(_recorder.IsAsleep);
    }

    [Fact]
    public void After_it_was_disposed_it_plans_nothing()
    {
        _recorder.Dispose();
        Call(Some.Operation(), TimeSpan.FromMilliseconds(3));
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public void An_operation_has_its_calls_their_failures_and_the_percentiles_of_the_last_minute()
    {
        var operation = Some.Operation();
        for (var i = 0; i < 90; i++)
        {
            Call(operation, TimeSpan.FromMilliseconds(1));
        }

        for (var i = 0; i < 10; i++)
        {
            Call(operation, TimeSpan.FromMilliseconds(100), new TimeoutException());
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        var read = _recorder.Read((_, operations, latency, _) =>
        {
            var series = operations.Single();
            var failed = series.ReadLast(_recorder.Second, 6, latency);
            return (failed, latency.Total, P50: latency.Percentile(0.5), P99: latency.Percentile(0.99), series.Record);
        });
        Assert.Equal((10, 100), (read.failed, read.Total));
        Assert.InRange(read.P50!.Value, 0.00093, 0.00107);
        Assert.InRange(read.P99!.Value, 0.093, 0.107);
        Assert.Equal(10, read.Record.Failures(CallStatus.HandlerFailed));
        Assert.Equal(TimeSpan.FromMilliseconds(1090), read.Record.Sums.Total);

        _time.Advance(TimeSpan.FromSeconds(70));
        Call(operation, TimeSpan.FromMilliseconds(20));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(1, _recorder.Read((_, operations, latency, _) =>
        {
            operations.Single().ReadLast(_recorder.Second, 6, latency);
            return latency.Total;
        }));
        Assert.Equal(101, _recorder.Read((_, operations, latency, _) =>
        {
            operations.Single().ReadLast(_recorder.Second, 30, latency);
            return latency.Total;
        }));
    }

    [Fact]
    public void The_history_of_an_operation_has_a_point_for_each_second_and_gaps_where_the_recorder_slept()
    {
        var operation = Some.Operation();
        Call(operation, TimeSpan.FromMilliseconds(5));
        Call(operation, TimeSpan.FromMilliseconds(7), new TimeoutException());
        _time.Advance(TimeSpan.FromSeconds(30));
        Call(operation, TimeSpan.FromMilliseconds(9));
        _time.Advance(TimeSpan.FromSeconds(1));

        var points = _recorder.Read((_, operations, _, _) => operations.Single().History.ReadSeconds(_recorder.Second));
        Assert.Equal([(2f, 1f), (0, 0), (1, 0)], points.Select(static point => (point.Values[0], point.Values[1])));
        Assert.InRange(points[0].Values[2], 0.0069, 0.0071);
        Assert.True(points[2].Second > points[1].Second + 10);
        Assert.InRange(_recorder.HistoryBytes, 1, 20_000);
    }

    [Fact]
    public void A_pool_has_the_peaks_of_each_second()
    {
        _recorder.Add(_pool);
        using var viewer = _recorder.Watch();
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, _recorder.HistoryBytes);
        _pool.Reading = new PoolReading { MaxWorkers = 8, Workers = 8, Busy = 1, MostBusy = 8, MostQueued = 30, Succeeded = 100, Failed = 3, Rejected = 2 };
        _time.Advance(TimeSpan.FromSeconds(1));
        _pool.Reading = _pool.Reading with { Busy = 0, MostBusy = 0, MostQueued = 0, Succeeded = 150 };
        _time.Advance(TimeSpan.FromSeconds(1));

        var points = _recorder.Read((pools, _, _, _) => pools.Single().History.ReadSeconds(_recorder.Second));
        Assert.Equal([8f, 0f], points.Select(static point => point.Values[Array.IndexOf(PoolSeries.Names, "busy")]));
        Assert.Equal([30f, 0f], points.Select(static point => point.Values[Array.IndexOf(PoolSeries.Names, "queued")]));
        Assert.Equal([100f, 50f], points.Select(static point => point.Values[Array.IndexOf(PoolSeries.Names, "succeeded")]));
        Assert.Equal([2f, 0f], points.Select(static point => point.Values[Array.IndexOf(PoolSeries.Names, "rejected")]));
    }

    [Fact]
    public void Running_calls_are_listed_with_their_phase_the_longest_first()
    {
        var (first, second) = (Some.Operation(), Some.Operation());
        using var cancelling = new CancellationTokenSource();
        var one = _recorder.Begin(first, isFromCode: false, cancelling.Token);
        _time.Advance(TimeSpan.FromSeconds(1));
        var two = Begin(second);
        two.Call!.Executing(queues: true);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([(first, RecordedPhase.Filters, 2.0), (second, RecordedPhase.Queue, 1)], Calls());

        one.Call!.Executing(queues: false);
        two.Call.Assigned(two.Call.Version, 4711);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([(first, RecordedPhase.Run, 3.0), (second, RecordedPhase.Assigned, 2)], Calls());
        var calls = _recorder.ReadCalls(1, out var total);
        Assert.Equal((1, 2, false), (calls.Count, total, calls[0].IsCancelled));
        Assert.Equal(new PhaseTimes(default, TimeSpan.FromSeconds(2), default, TimeSpan.FromSeconds(1), default), calls[0].Times);
        cancelling.Cancel();
        Assert.True(_recorder.ReadCalls(1, out _)[0].IsCancelled);

        one.End(null);
        two.End(new CallRejectedException(WeirCodes.QueueFull, "full"));
        Assert.Empty(_recorder.ReadCalls(100, out total));
        Assert.Equal(0, total);

        IEnumerable<(Operation, RecordedPhase, double)> Calls() => _recorder.ReadCalls(100, out _).Select(static call => (call.Operation, call.Phase, call.Times.Total.TotalSeconds));
    }

    [Fact]
    public void What_is_reported_of_a_call_after_its_end_does_not_change_the_next_call_of_its_place()
    {
        var first = Begin(Some.Operation());
        var (place, version) = (first.Call!, first.Call!.Version);
        first.End(null);
        var second = Begin(Some.Operation());
        Assert.Same(place, second.Call);
        second.Call!.Executing(queues: true);
        place.Assigned(version, 4711);
        Assert.Equal(RecordedPhase.Queue, _recorder.ReadCalls(1, out _).Single().Phase);
    }

    [Fact]
    public void A_call_is_cancelled_by_its_own_token_until_it_ends_and_the_next_call_of_its_place_is_not()
    {
        var operation = Some.Operation();
        Begin(operation).End(null);
        var call = _recorder.Begin(operation, isFromCode: false, CancellationToken.None, canCancel: true);
        var (token, id) = (call.Call!.Token, _recorder.ReadCalls(1, out _).Single() is { CanCancel: true } read ? read.Id : -1);
        Assert.False(_recorder.TryCancel(id + RecordedCall.Most));
        Assert.False(_recorder.TryCancel(id + 1));
        Assert.False(_recorder.TryCancel(-1));
        Assert.False(token.IsCancellationRequested);
        Assert.True(_recorder.TryCancel(id));
        Assert.True(token.IsCancellationRequested);
        Assert.True(_recorder.ReadCalls(1, out _).Single().IsCancelled);
        call.End(new OperationCanceledException());
        Assert.False(_recorder.TryCancel(id));
        Begin(operation);
        Assert.False(_recorder.TryCancel(id));
        Assert.False(_recorder.ReadCalls(1, out _).Single().CanCancel);
    }

    [Fact]
    public void A_request_is_cancelled_by_its_transport_also_where_that_ends_it_at_once()
    {
        var operation = Some.Operation();
        var place = _recorder.Arrive(operation, null)!;
        var transport = new EndingTransport();
        var recording = place.Enter(place, transport, keepsCaller: true, CancellationToken.None);
        var call = _recorder.ReadCalls(1, out _).Single();
        Assert.Equal((true, "a caller"), (call.CanCancel, call.Caller));
        transport.OnAbort = () =>
        {
            recording.End(new OperationCanceledException());
            place.End();
        };
        Assert.True(_recorder.TryCancel(call.Id));
        Assert.Same(place, transport.Aborted);
        Assert.Empty(_recorder.ReadCalls(1, out _));
        Assert.Null(_recorder.Arrive(operation, place)!.TryRead(out var next) ? next.Caller : "");
    }

    [Fact]
    public void Calls_beyond_the_places_are_counted_and_timed_and_not_listed()
    {
        var operation = Some.Operation();
        var calls = Enumerable.Range(0, RecordedCall.Most + 10).Select(_ => Begin(operation)).ToList();
        _time.Advance(TimeSpan.FromMilliseconds(10));
        Assert.Equal(RecordedCall.Most, _recorder.ReadCalls(int.MaxValue, out var total).Count);
        Assert.Equal(RecordedCall.Most + 10, total);
        calls.ForEach(static call => call.End(null));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(RecordedCall.Most + 10, _recorder.Read(static (_, operations, _, _) => operations.Single().Calls));
        Assert.Equal(0, _recorder.Unlisted);
    }

    [Fact]
    public void Of_inline_calls_from_code_all_are_counted_and_one_of_64_is_timed()
    {
        var operation = Some.Operation();
        for (var i = 0; i < 640; i++)
        {
            _recorder.Begin(operation, isFromCode: true, CancellationToken.None).End(i == 3 ? new TimeoutException() : null);
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        var (calls, timed, failures) = _recorder.Read(static (_, operations, latency, _) =>
        {
            var series = operations.Single();
            series.ReadLast(0, 6, latency);
            return (series.Calls, latency.Total, series.Record.AllFailures());
        });
        Assert.Equal(640, calls);
        Assert.InRange(timed, 10, 11);
        Assert.Equal(1, failures);
    }

    [Fact]
    public void The_eight_slowest_of_the_hour_and_the_eight_last_failures_are_kept()
    {
        var operation = Some.Operation();
        for (var i = 1; i <= 20; i++)
        {
            Call(operation, TimeSpan.FromMilliseconds(i), i % 2 == 0 ? new TimeoutException($"secret {i}") : null);
        }

        var kept = Record(operation).Kept;
        Assert.Equal(Enumerable.Range(13, 8).Reverse().Select(static i => (double)i), kept.Slowest(_time.GetUtcNow()).Select(static call => call.Times.Total.TotalMilliseconds));
        Assert.Equal([20.0, 18, 16, 14, 12, 10, 8, 6], kept.Failed().Select(static call => call.Times.Total.TotalMilliseconds));
        Assert.All(kept.Failed(), static call => Assert.Equal(("TimeoutException", CallStatus.HandlerFailed), (call.Error, call.Status)));

        _time.Advance(TimeSpan.FromHours(1));
        Assert.Empty(kept.Slowest(_time.GetUtcNow()));
        Call(operation, TimeSpan.FromMilliseconds(1));
        Assert.Single(kept.Slowest(_time.GetUtcNow()));
    }

    [Fact]
    public void A_lost_call_is_kept_with_its_worker_and_the_id_of_the_report()
    {
        var operation = Some.Operation();
        var recording = Begin(operation);
        recording.Call!.Executing(queues: true);
        recording.Call.Assigned(recording.Call.Version, 4711);
        recording.End(new WorkerLostException(WeirCodes.WorkerLost, "lost", "images", 4711, "exit code 3", "images-4711-3"));
        var call = Assert.Single(Record(operation).Kept.Failed());
        Assert.Equal((4711, "images-4711-3", CallStatus.WorkerLost), (call.ProcessId, call.ReportId, call.Status));
    }

    [Fact]
    public async Task The_pipeline_records_what_it_runs_and_every_outcome()
    {
        var operation = Some.Operation();
        var pipeline = Pipeline(operation);
        var request = new CallRequest { Services = NoServices.Instance, Transport = new object() };
        await pipeline.RunAsync(new DelegateCall(operation, _ => Take(5)), request);
        await Assert.ThrowsAsync<TimeoutException>(async () => await pipeline.RunAsync(new DelegateCall(operation, static _ => throw new TimeoutException()), request));
        await Assert.ThrowsAsync<DeadlineExceededException>(async () => await pipeline.RunAsync(new DelegateCall(operation, static _ => 1), request with { TimeLimit = TimeSpan.Zero }));
        var record = Record(operation);
        Assert.Equal((1, 1, 2), (record.Failures(CallStatus.HandlerFailed), record.Failures(CallStatus.DeadlineExceeded), record.AllFailures()));
        Assert.Equal(TimeSpan.FromMilliseconds(5), record.Sums.Run);
        Assert.Empty(_recorder.ReadCalls(10, out _));
    }

    [Fact]
    public async Task A_request_is_recorded_from_its_arrival_until_its_response_is_written()
    {
        var operation = Some.Operation();
        var pipeline = Pipeline(operation);
        var request = pipeline.Arrive(operation, null)!;
        request.TimePhases();
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(RecordedPhase.Bind, _recorder.ReadCalls(1, out _).Single().Phase);
        await pipeline.RunAsync(new DelegateCall(operation, _ => Take(5)), new CallRequest { Services = NoServices.Instance, Transport = new object(), Recording = request });
        _time.Advance(TimeSpan.FromMilliseconds(2));
        Assert.Equal(RecordedPhase.Write, _recorder.ReadCalls(1, out _).Single().Phase);
        request.End();
        Assert.Empty(_recorder.ReadCalls(1, out _));
        Assert.Equal(new PhaseTimes(Milliseconds(1), default, default, Milliseconds(5), Milliseconds(2)), Record(operation).Sums);
        Assert.Same(request, pipeline.Arrive(operation, request));
    }

    [Fact]
    public async Task Of_plain_requests_about_one_of_eight_is_timed_phase_by_phase_and_stands_for_all()
    {
        const int Requests = 4_000;
        var operation = Some.Operation();
        var pipeline = Pipeline(operation);
        CallRecording? place = null;
        for (var i = 0; i < Requests; i++)
        {
            place = pipeline.Arrive(operation, place)!;
            _time.Advance(TimeSpan.FromTicks(5_003));
            await pipeline.RunAsync(new DelegateCall(operation, _ => Take(1)), new CallRequest { Services = NoServices.Instance, Transport = new object(), Recording = place });
            place.End();
        }

        var record = Record(operation);
        var (bind, run) = (record.Sums.Bind / Milliseconds(0.5003), record.Sums.Run / Milliseconds(1));
        Assert.Equal(bind, run, 0.001);
        Assert.InRange(run, 0.8 * Requests, 1.2 * Requests);
        Assert.Equal(Requests, _recorder.Read(static (_, operations, latency, second) =>
        {
            operations.Single().ReadLast(second, 30, latency);
            return latency.Total;
        }));
        Assert.Equal(TimeSpan.FromTicks(15_003), record.Kept.Slowest(_time.GetUtcNow())[0].Times.Total);
    }

    [Fact]
    public void A_request_that_became_no_call_is_not_counted_and_one_answered_before_its_call_ended_was_cancelled()
    {
        var operation = Some.Operation();
        var refused = _recorder.Arrive(operation, null)!;
        refused.End();
        Assert.Equal(0, Record(operation).AllFailures());
        var left = _recorder.Arrive(operation, refused)!;
        var recording = left.Enter(null, null, keepsCaller: false, CancellationToken.None);
        left.End();
        recording.End(new TimeoutException());
        var record = Record(operation);
        Assert.Equal((1, 1), (record.Failures(CallStatus.Cancelled), record.AllFailures()));
    }

    [Fact]
    public void A_recorded_call_allocates_nothing()
    {
        var operation = Some.Operation();
        Assert.Equal(0, BytesOfThousand(() =>
        {
            var recording = Begin(operation);
            recording.Call!.Executing(queues: false);
            recording.End(null);
        }));
    }

    [Fact]
    public void A_listed_call_that_gets_a_token_of_its_own_costs_that_token()
    {
        using var caller = new CancellationTokenSource();
        var operation = Some.Operation();
        Assert.InRange(BytesOfThousand(() => _recorder.Begin(operation, isFromCode: false, CancellationToken.None, canCancel: true).End(null)), 1_000, 64_000);
        Assert.InRange(BytesOfThousand(() => _recorder.Begin(operation, isFromCode: false, caller.Token, canCancel: true).End(null)), 1_000, 200_000);
    }

    // What a thousand calls allocate, after some that make what is kept.
    private long BytesOfThousand(Action call)
    {
        Run(100);
        _time.Advance(TimeSpan.FromSeconds(1));
        var allocated = GC.GetAllocatedBytesForCurrentThread();
        Run(1_000);
        return GC.GetAllocatedBytesForCurrentThread() - allocated;

        void Run(int calls)
        {
            for (var i = 0; i < calls; i++)
            {
                call();
            }
        }
    }

    private Recording Begin(Operation operation) => _recorder.Begin(operation, isFromCode: false, CancellationToken.None);

    private void Call(Operation operation, TimeSpan time, Exception? failure = null)
    {
        var recording = Begin(operation);
        recording.Call!.Executing(queues: false);
        _time.Advance(time);
        recording.End(failure);
    }

    private static TimeSpan Milliseconds(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);

    private RoutedPipeline Pipeline(Operation operation)
    {
        var executors = new ExecutorTable(new() { [operation] = new(new InlineExecutor(ServiceInstances.Of([operation.Service], null)), new FilterChain([], operation)) });
        return new RoutedPipeline(executors, new NoScopes(), _time) { Recorder = _recorder };
    }

    private int Take(int milliseconds)
    {
        _time.Advance(TimeSpan.FromMilliseconds(milliseconds));
        return milliseconds;
    }

    private OperationRecord Record(Operation operation)
    {
        _time.Advance(TimeSpan.FromSeconds(1));
        return _recorder.Read((_, operations, _, _) => operations.Single(one => one.Record.Operation == operation).Record);
    }

    private sealed class NoScopes : IServiceScopeFactory
    {
        public IServiceScope CreateScope() => throw new UnreachableException();
    }

    private sealed class ScriptedPool : IObservedPool
    {
        public string Name => "images";

        public PoolReading Reading { get; set; }

        public PoolReading Read() => Reading;
    }

    private sealed class EndingTransport : CallTransport
    {
        public object? Aborted { get; private set; }

        public Action? OnAbort { get; set; }

        public override void Abort(object transport)
        {
            Aborted = transport;
            OnAbort?.Invoke();
        }

        public override string? CallerOf(object transport) => "a caller";
    }
}
