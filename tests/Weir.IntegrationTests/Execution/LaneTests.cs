using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Lanes;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>The lane with real threads; what must not happen is waited for by gates, never by time.</summary>
public sealed class LaneTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Every_piece_of_work_runs_once_and_no_more_threads_than_the_limit_run_at_a_time()
    {
        var lane = new Lane(new LaneOptions { MinThreads = 2, MaxThreads = 8, QueueLimit = 100_000 }, TimeProvider.System);
        var running = 0;
        var most = 0;
        var runs = new int[20_000];
        var works = runs.Select((_, index) => new GatedWork(() =>
        {
            InterlockedMax(ref most, Interlocked.Increment(ref running));
            Interlocked.Increment(ref runs[index]);
            Interlocked.Decrement(ref running);
        })).ToArray();

        foreach (var work in works)
        {
            Assert.True(lane.TryEnqueue(work, CallAdmission.Queue));
        }

        await Task.WhenAll(works.Select(work => work.Ended)).WaitAsync(Soon, TestContext.Current.CancellationToken);
        await lane.DisposeAsync();

        Assert.All(runs, count => Assert.Equal(1, count));
        Assert.InRange(most, 1, 8);
        Assert.Equal(0, lane.Snapshot().Threads);
    }

    [Fact]
    public async Task A_full_queue_refuses_at_once_and_lets_code_wait()
    {
        await using var lane = new Lane(new LaneOptions { MinThreads = 0, MaxThreads = 1, QueueLimit = 2 }, TimeProvider.System);
        using var gate = new ManualResetEventSlim();
        var first = new GatedWork(gate.Wait);
        lane.TryEnqueue(first, CallAdmission.Queue);
        await first.Started.WaitAsync(Soon, TestContext.Current.CancellationToken);

        Assert.True(lane.TryEnqueue(new GatedWork(gate.Wait), CallAdmission.Queue));
        Assert.True(lane.TryEnqueue(new GatedWork(gate.Wait), CallAdmission.Queue));
        Assert.False(lane.TryEnqueue(new GatedWork(gate.Wait), CallAdmission.Queue));

        var waiting = new GatedWork(gate.Wait);
        Assert.True(lane.TryEnqueue(waiting, CallAdmission.Wait));
        gate.Set();
        await waiting.Ended.WaitAsync(Soon, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Work_that_asks_for_a_free_thread_gets_a_new_one_or_is_refused()
    {
        await using var lane = new Lane(new LaneOptions { MinThreads = 0, MaxThreads = 2, QueueLimit = 10 }, TimeProvider.System);
        using var gate = new ManualResetEventSlim();
        var first = new GatedWork(gate.Wait);
        var second = new GatedWork(gate.Wait);

        // The second does not wait for the monitor to add a thread.
        Assert.True(lane.TryEnqueue(first, CallAdmission.Free));
        Assert.True(lane.TryEnqueue(second, CallAdmission.Free));
        Assert.Equal(2, lane.Snapshot().Threads);
        await Task.WhenAll(first.Started, second.Started).WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.False(lane.TryEnqueue(new GatedWork(gate.Wait), CallAdmission.Free));

        var queued = new GatedWork(gate.Wait);
        Assert.True(lane.TryEnqueue(queued, CallAdmission.Queue));
        gate.Set();
        await queued.Ended.WaitAsync(Soon, TestContext.Current.CancellationToken);
        await Task.WhenAll(first.Ended, second.Ended).WaitAsync(Soon, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task With_a_queue_limit_of_zero_work_runs_on_a_new_thread_or_is_refused()
    {
        await using var lane = new Lane(new LaneOptions { MinThreads = 0, MaxThreads = 2, QueueLimit = 0 }, TimeProvider.System);
        using var gate = new ManualResetEventSlim();
        var first = new GatedWork(gate.Wait);
        var second = new GatedWork(gate.Wait);

        Assert.True(lane.TryEnqueue(first, CallAdmission.Queue));
        Assert.True(lane.TryEnqueue(second, CallAdmission.Queue));
        await Task.WhenAll(first.Started, second.Started).WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.False(lane.TryEnqueue(new GatedWork(gate.Wait), CallAdmission.Queue));

        gate.Set();
        await Task.WhenAll(first.Ended, second.Ended).WaitAsync(Soon, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Blocked_threads_make_the_lane_grow_until_everything_runs()
    {
        await using var lane = new Lane(new LaneOptions { MinThreads = 1, MaxThreads = 200 }, TimeProvider.System);
        using var gate = new CountdownEvent(150);

        // Each piece waits for all others: they end only if the lane gives a thread to every one of them.
        var works = Enumerable.Range(0, 150).Select(_ => new GatedWork(() =>
        {
            gate.Signal();
            gate.Wait();
        })).ToArray();
        Array.ForEach(works, work => lane.TryEnqueue(work, CallAdmission.Queue));

        await Task.WhenAll(works.Select(work => work.Ended)).WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.InRange(lane.Snapshot().Threads, 150, 200);
    }

    [Fact]
    public async Task A_thread_starts_only_when_the_oldest_call_has_waited_for_a_millisecond_and_one_for_each_waiting_call()
    {
        var time = new StoppedTime();
        await using var lane = new Lane(new LaneOptions { MinThreads = 0, MaxThreads = 10 }, time);
        using var gate = new ManualResetEventSlim();
        var works = Enumerable.Range(0, 3).Select(_ => new GatedWork(gate.Wait)).ToArray();
        foreach (var work in works)
        {
            Assert.True(lane.TryEnqueue(work, CallAdmission.Queue));
        }

        // The first call found no thread at all.
        await works[0].Started.WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.Equal(LaneGrowth.Later, lane.Grow());
        Assert.Equal(1, lane.Snapshot().Threads);

        time.Advance(TimeSpan.FromMilliseconds(1));
        await Task.WhenAll(works.Select(work => work.Started)).WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.Equal(LaneGrowth.NothingWaits, lane.Grow());
        Assert.Equal(3, lane.Snapshot().Threads);
        gate.Set();
    }

    [Fact]
    public async Task Idle_threads_above_the_minimum_end_after_the_keep_alive()
    {
        await using var lane = new Lane(new LaneOptions { MinThreads = 2, MaxThreads = 40, KeepAlive = TimeSpan.FromMilliseconds(1) }, TimeProvider.System);
        using var gate = new CountdownEvent(30);
        var works = Enumerable.Range(0, 30).Select(_ => new GatedWork(() =>
        {
            gate.Signal();
            gate.Wait();
        })).ToArray();
        Array.ForEach(works, work => lane.TryEnqueue(work, CallAdmission.Queue));
        await Task.WhenAll(works.Select(work => work.Ended)).WaitAsync(Soon, TestContext.Current.CancellationToken);

        Assert.True(SpinWait.SpinUntil(() => lane.Snapshot().Threads == 2, Soon));
    }

    [Fact]
    public async Task Expiry_and_hand_over_race_without_losing_work()
    {
        // Threads expire after nearly nothing while work keeps coming: every piece still runs.
        await using var lane = new Lane(new LaneOptions { MinThreads = 0, MaxThreads = 4, KeepAlive = TimeSpan.FromTicks(1) }, TimeProvider.System);
        for (var round = 0; round < 5_000; round++)
        {
            var work = new GatedWork(static () => { });
            Assert.True(lane.TryEnqueue(work, CallAdmission.Queue));
            await work.Ended.WaitAsync(Soon, TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task A_caller_who_leaves_the_queue_is_never_run()
    {
        var lane = new Lane(new LaneOptions { MinThreads = 0, MaxThreads = 1 }, TimeProvider.System);
        using var gate = new ManualResetEventSlim();
        var first = new GatedWork(gate.Wait);
        lane.TryEnqueue(first, CallAdmission.Queue);
        await first.Started.WaitAsync(Soon, TestContext.Current.CancellationToken);

        var left = new GatedWork(static () => { });
        lane.TryEnqueue(left, CallAdmission.Queue);
        Assert.True(lane.TryRemove(left));
        Assert.False(lane.TryRemove(left));

        gate.Set();
        await lane.DisposeAsync();
        Assert.False(left.Started.IsCompleted);
    }

    [Fact]
    public async Task Disposing_runs_what_is_queued_and_takes_no_more()
    {
        var lane = new Lane(new LaneOptions { MinThreads = 1, MaxThreads = 1 }, TimeProvider.System);
        using var gate = new ManualResetEventSlim();
        var works = Enumerable.Range(0, 10).Select(_ => new GatedWork(gate.Wait)).ToArray();
        Array.ForEach(works, work => lane.TryEnqueue(work, CallAdmission.Queue));

        var disposing = lane.DisposeAsync();
        var refused = Assert.Throws<CallRejectedException>(() => lane.TryEnqueue(new GatedWork(gate.Wait), CallAdmission.Wait));
        Assert.Equal(WeirCodes.Draining, refused.Code);
        Assert.False(disposing.IsCompleted);

        gate.Set();
        await disposing.AsTask().WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.All(works, work => Assert.True(work.Ended.IsCompletedSuccessfully));
    }

    [Fact]
    public async Task A_thread_keeps_nothing_of_the_flow_that_started_it()
    {
        await using var lane = new Lane(new LaneOptions { MinThreads = 0, MaxThreads = 1 }, TimeProvider.System);
        var local = new AsyncLocal<string?> { Value = "the caller's" };
        string? seen = "nothing";
        var work = new GatedWork(() => seen = local.Value);
        lane.TryEnqueue(work, CallAdmission.Queue);
        await work.Ended.WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.Null(seen);
    }

    [Fact]
    public async Task Draining_that_ran_out_of_time_rejects_what_is_queued_and_waits_no_more()
    {
        var lane = new Lane(new LaneOptions { MinThreads = 1, MaxThreads = 1 }, TimeProvider.System);
        using var gate = new ManualResetEventSlim();
        var stuck = new GatedWork(gate.Wait);
        lane.TryEnqueue(stuck, CallAdmission.Queue);
        await stuck.Started.WaitAsync(Soon, TestContext.Current.CancellationToken);
        var queued = new GatedWork(gate.Wait);
        lane.TryEnqueue(queued, CallAdmission.Queue);

        using var impatient = new CancellationTokenSource();
        var draining = lane.DrainAsync(impatient.Token);
        Assert.False(draining.IsCompleted);
        await impatient.CancelAsync();
        await draining.WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.Equal(WeirCodes.Draining, (await Assert.ThrowsAsync<CallRejectedException>(() => queued.Ended)).Code);
        await lane.DisposeAsync().AsTask().WaitAsync(Soon, TestContext.Current.CancellationToken);

        gate.Set();
        await stuck.Ended.WaitAsync(Soon, TestContext.Current.CancellationToken);
        Assert.True(SpinWait.SpinUntil(() => lane.Snapshot().Threads == 0, Soon));
        Assert.False(queued.Started.IsCompleted);
    }

    [Fact]
    public async Task A_runtime_whose_draining_ran_out_of_time_leaves_a_stuck_thread_behind()
    {
        using var gate = new ManualResetEventSlim();
        using var running = new ManualResetEventSlim();
        var stuck = AspNetCore.Probe.Result(
            "Stuck",
            ResultKind.None,
            (_, _) =>
            {
                running.Set();
                gate.Wait();
                return null;
            },
            placement: Placement.Lane);
        var services = new ServiceCollection().AddWeirCatalogs("Weir.IntegrationTests", [new AspNetCore.ProbeCatalog(stuck)]).BuildServiceProvider();
        var runtime = services.GetRequiredService<WeirRuntime>();
        var call = runtime.Pipeline.RunAsync(stuck.CreateCall(stuck), new CallRequest()).AsTask();
        Assert.True(running.Wait(Soon, TestContext.Current.CancellationToken));

        using var impatient = new CancellationTokenSource();
        var draining = runtime.DrainAsync(impatient.Token);
        Assert.False(draining.IsCompleted);
        await impatient.CancelAsync();
        await draining.WaitAsync(Soon, TestContext.Current.CancellationToken);
        await services.DisposeAsync().AsTask().WaitAsync(Soon, TestContext.Current.CancellationToken);

        Assert.False(call.IsCompleted);
        gate.Set();
        await call.WaitAsync(Soon, TestContext.Current.CancellationToken);
    }

    private static void InterlockedMax(ref int target, int value)
    {
        for (var seen = Volatile.Read(ref target); seen < value; seen = Volatile.Read(ref target))
        {
            Interlocked.CompareExchange(ref target, value, seen);
        }
    }

    private sealed class StoppedTime : TimeProvider
    {
        private long _ticks;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Volatile.Read(ref _ticks);

        public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);
    }

    private sealed class GatedWork(Action run) : LaneWork
    {
        private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal Task Started => _started.Task;

        internal Task Ended => _ended.Task;

        internal override void Execute()
        {
            _started.SetResult();
            run();
            _ended.SetResult();
        }

        internal override void Reject(CallRejectedException reason) => _ended.SetException(reason);
    }
}
