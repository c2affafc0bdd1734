using Weir.Execution.Inline;
using Weir.Execution.Threading;

namespace Weir.Tests.Execution;

public sealed class ThreadPoolHeartbeatTests : IDisposable
{
    private static readonly TimeSpan Threshold = TimeSpan.FromMilliseconds(500);

    private readonly ManualTime _time = new();
    private readonly RecordedMeter _meter = new();
    private readonly RecordedEvents _log = new();
    private readonly List<IWorkItem> _queued = [];
    private readonly ThreadPoolHeartbeat _heartbeat;
    private BlockedThreads _blocked = new([], 0, true);
    private bool _othersWait = true;
    private Func<TimeSpan> _readProcessors = static () => TimeSpan.Zero;

    public ThreadPoolHeartbeatTests() => _heartbeat = new(Threshold, _log, _meter.Weir, _time, Queue, () => _blocked, () => _readProcessors());

    public void Dispose()
    {
        _heartbeat.Dispose();
        _meter.Dispose();
    }

    [Fact]
    public void Work_that_runs_at_once_is_measured_and_nothing_is_logged()
    {
        _heartbeat.Start();
        for (var i = 0; i < 5; i++)
        {
            Advance(500);
            Advance(3);
            Run();
        }

        Assert.Empty(_log.Events);
        Assert.Equal(5, _meter.Times.Count);
        Assert.Equal(("weir.thread_pool.queue.time", 0.003), _meter.Times[0]);
    }

    [Fact]
    public void Nothing_is_queued_before_the_last_work_has_run()
    {
        _heartbeat.Start();
        Advance(5000);
        Assert.Single(_queued);
    }

    [Fact]
    public void Nothing_is_queued_to_a_thread_pool_in_which_nothing_waits()
    {
        _othersWait = false;
        _heartbeat.Start();
        Advance(60_000);
        _othersWait = true;
        Advance(500);
        Assert.Single(_queued);
        Assert.Empty(_log.Events);
    }

    [Fact]
    public void Starvation_is_reported_with_the_operations_that_block_and_so_is_its_end()
    {
        _blocked = new([(Some.Operation(), 7), (Some.Operation(), 2)], 3, true);
        _heartbeat.Start();
        Advance(500);
        Assert.Empty(_log.Events);
        Advance(500);
        var (id, text) = Assert.Single(_log.Events);
        Assert.Equal(4403, id);
        Assert.Contains("work has waited 500 ms for a thread", text, StringComparison.Ordinal);
        Assert.Contains("9 of ", text, StringComparison.Ordinal);
        Assert.Contains("Some/Answer (7), Some/Answer (2). Write [Blocking]", text, StringComparison.Ordinal);

        Advance(1000);
        Run();
        Advance(500);
        Assert.Equal((4406, "The thread pool runs new work again; it was starved for 2.0 s."), _log.Events[1]);
    }

    [Theory]
    [InlineData(0.25, 25)]
    [InlineData(0.5, 50)]
    [InlineData(22.66, 100)]
    [InlineData(-1, 0)]
    public void The_share_of_the_processors_is_of_the_time_in_which_it_was_measured(double share, int percent)
    {
        // A system that has no memory counts time that did not pass here, and the reading takes long itself.
        var reads = 0;
        _readProcessors = () =>
        {
            _time.Advance(TimeSpan.FromMilliseconds(reads++ == 0 ? 400 : 0));
            return share * _time.GetElapsedTime(0) * Environment.ProcessorCount;
        };
        _heartbeat.Start();
        Advance(1500);
        Assert.Contains($"used {percent} % of its processors", Assert.Single(_log.Events).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Starvation_is_reported_every_30_seconds_at_most()
    {
        _heartbeat.Start();
        Advance(500 + 59_000);
        Assert.Equal(2, _log.Events.Count);
        Run();
        Advance(500);
        Assert.Equal(4406, _log.Events[2].Id);

        // It comes and goes: the end of what was not reported is not reported either.
        Advance(500);
        Run();
        Advance(500);
        Assert.Equal(3, _log.Events.Count);
    }

    [Fact]
    public void A_stop_of_the_whole_process_is_no_starvation()
    {
        _heartbeat.Start();
        _time.TimersAreLateBy = TimeSpan.FromSeconds(60);
        Advance(500);
        Assert.Single(_queued);
        _time.TimersAreLateBy = TimeSpan.Zero;
        Advance(60_500);
        Assert.Empty(_log.Events);

        // What the work waits after it counts.
        Advance(500);
        Assert.Contains("work has waited 500 ms", Assert.Single(_log.Events).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void It_ends_with_its_application()
    {
        _heartbeat.Start();
        _heartbeat.Dispose();
        Assert.Equal(0, _time.ActiveTimers);
        Advance(5000);
        Assert.Empty(_queued);
    }

    [Fact]
    public void It_does_not_begin_after_its_application_has_ended()
    {
        _heartbeat.Dispose();
        _heartbeat.Start();
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public void A_logger_that_throws_does_not_end_it()
    {
        _log.Failure = new InvalidOperationException("of a logger");
        _heartbeat.Start();
        Advance(1000);
        _log.Failure = null;
        Run();
        Advance(500);
        Assert.Equal(2, _queued.Count);
    }

    private void Advance(double milliseconds) => _time.Advance(TimeSpan.FromMilliseconds(milliseconds));

    private bool Queue(IWorkItem work)
    {
        if (_othersWait)
        {
            _queued.Add(work);
        }

        return _othersWait;
    }

    private void Run() => _queued[^1].Execute();
}
