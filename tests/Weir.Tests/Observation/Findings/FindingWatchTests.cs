using System.Text.Json;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Findings;
using Weir.Tests.Execution;

namespace Weir.Tests.Observation.Findings;

public sealed class FindingWatchTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly WorkerObserver _workers;
    private readonly Recorder _recorder;
    private readonly FindingWatch _watch;
    private readonly ScriptedPool _pool = new();
    private StarvationReading _starvation = StarvationReading.None;

    public FindingWatchTests()
    {
        _workers = new WorkerObserver(_time);
        _recorder = new Recorder(_time, 3 << 20, _workers);
        _recorder.Add(_pool);
        _watch = new FindingWatch(_recorder, _workers, () => _starvation, _time);
    }

    public void Dispose() => _recorder.Dispose();

    [Fact]
    public void A_crash_loop_is_found_within_two_seconds_of_its_third_failure_and_cleared_after_it_ended()
    {
        for (var serial = 1; serial <= 3; serial++)
        {
            Assert.Empty(_watch.Read().Findings);
            _workers.Started("images", serial, 0, 4711);
            _workers.Ended("images", serial, 0, 4711, WorkerEnd.FailedInCall, Report(serial));
            _time.Advance(TimeSpan.FromSeconds(1));
        }

        var finding = Assert.Single(_watch.Read().Findings);
        Assert.Equal((FindingKind.WorkersFail, "images", "Images/Scale", "images-4711-3"), (finding.Kind, finding.Pool, finding.Operation, finding.ReportId));
        Assert.EndsWith("out of memory", finding.Sentence, StringComparison.Ordinal);
        Assert.False(_recorder.IsAsleep);

        _time.Advance(TimeSpan.FromSeconds(80));
        var (findings, changedAt) = _watch.Read();
        Assert.Empty(findings);
        Assert.InRange(changedAt!.Value, finding.Since.AddSeconds(60), finding.Since.AddSeconds(75));
        Assert.True(_recorder.IsAsleep);
    }

    [Fact]
    public void Calls_that_were_rejected_are_found_for_ten_seconds_and_cleared_ten_seconds_later()
    {
        using var viewer = _recorder.Watch();
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Empty(_watch.Read().Findings);
        _pool.Reading = new PoolReading { Rejected = 12, Failed = 12 };
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.StartsWith("images rejects calls: 12 in the last 10 s", Assert.Single(_watch.Read().Findings).Sentence, StringComparison.Ordinal);
        _time.Advance(TimeSpan.FromSeconds(18));
        Assert.Single(_watch.Read().Findings);
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.Empty(_watch.Read().Findings);
    }

    [Fact]
    public void An_operation_that_fails_is_found_with_the_exception_that_most_calls_had()
    {
        var operation = Some.Operation();
        for (var i = 0; i < 40; i++)
        {
            var recording = _recorder.Begin(operation, isFromCode: false, CancellationToken.None);
            recording.End(i % 3 > 0 ? null : i == 0 ? new InvalidOperationException() : new TimeoutException());
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal("Some/Answer fails: 14 of 40 in the last minute, mostly TimeoutException", Assert.Single(_watch.Read().Findings).Sentence);
    }

    [Fact]
    public void A_starved_thread_pool_and_what_blocks_it_are_found_while_it_lasts()
    {
        _starvation = new StarvationReading(_time.GetUtcNow(), [("Prices/Slow", 3)], [("Prices/Slow", 5)]);
        Assert.Equal([FindingKind.Starved, FindingKind.Blocks], _watch.Read().Findings.Select(static one => one.Kind));
        _starvation = StarvationReading.None with { BlockedCalls = [("Prices/Slow", 5)] };
        Assert.Equal(2, _watch.Read().Findings.Count);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Empty(_watch.Read().Findings);
    }

    [Fact]
    public void What_a_part_finds_is_found_too_and_keeps_the_recorder_awake_until_it_is_over()
    {
        var part = new ScriptedPart { Found = [new Finding(FindingKind.Part, FindingSeverity.Failing, null, null, "a", "two jobs failed", "Look.") { Name = "jobsFailed" }] };
        _watch.Add(part);
        var found = Assert.Single(_watch.Read().Findings);
        Assert.Equal(("jobsFailed", _time.GetUtcNow()), (found.Name, found.Since));
        _workers.Started("images", 1, 0, 4711);
        _time.Advance(TimeSpan.FromSeconds(30));
        Assert.False(_recorder.IsAsleep);

        // Another name is another finding, although all else is equal.
        part.Found = [part.Found[0] with { Name = "jobsPaused" }];
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(["jobsFailed", "jobsPaused"], _watch.Read().Findings.Select(static one => one.Name));
        part.Found = [];
        _time.Advance(TimeSpan.FromSeconds(15));
        Assert.Empty(_watch.Read().Findings);
        Assert.True(_recorder.IsAsleep);
        Assert.Equal("jobs", Assert.Single(_watch.ReadParts(RowOrder.Failed)).Name);
        Assert.Equal(RowOrder.Failed, part.Order);
    }

    [Fact]
    public void The_memory_of_workers_is_read_every_ten_seconds_and_never_on_the_way_of_a_person_who_looks()
    {
        using var viewer = _recorder.Watch();
        _ = _watch.Read();
        Assert.Equal(0, _pool.MemoryReadings);
        _pool.Memory = [new WorkerMemory(5092, 500 << 20, 512 << 20)];
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(1, _pool.MemoryReadings);
        Assert.StartsWith("images: worker 5092 holds 500 MB", Assert.Single(_watch.Read().Findings).Sentence, StringComparison.Ordinal);
        _pool.Memory = [];
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.Equal(1, _pool.MemoryReadings);
        Assert.Single(_watch.Read().Findings);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(2, _pool.MemoryReadings);
        Assert.Empty(_watch.Read().Findings);
    }

    [Fact]
    public void The_memory_that_the_last_calls_left_behind_is_read_before_the_recorder_sleeps()
    {
        _workers.Started("images", 1, 0, 5092);
        _pool.Reading = new PoolReading { Workers = 1, Busy = 1 };
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(1, _pool.MemoryReadings);

        // Its call ends right after the reading.
        _pool.Memory = [new WorkerMemory(5092, 500 << 20, 512 << 20)];
        _pool.Reading = new PoolReading { Workers = 1, Succeeded = 1 };
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(2, _pool.MemoryReadings);
        Assert.Single(_watch.Read().Findings);
        _pool.Memory = [];
        _time.Advance(TimeSpan.FromSeconds(30));
        Assert.Empty(_watch.Read().Findings);
        Assert.True(_recorder.IsAsleep);
    }

    private static CrashReport Report(int serial) => new()
    {
        Id = $"images-4711-{serial}",
        Pool = "images",
        ProcessId = 4711,
        Generation = 0,
        At = DateTimeOffset.UnixEpoch,
        Phase = "call",
        Cause = "out of memory",
        Age = TimeSpan.Zero,
        CallsDone = 0,
        Calls = [new CrashReportCall(1, "Images/Scale", "running", TimeSpan.Zero)],
        Output = "",
        Limits = AppliedLimits.None,
    };

    private sealed class ScriptedPool : IObservedPool
    {
        public string Name => "images";

        public PoolReading Reading { get; set; }

        public int MemoryReadings { get; private set; }

        public IReadOnlyList<WorkerMemory> Memory { get; set; } = [];

        public PoolReading Read() => Reading;

        public IReadOnlyList<WorkerMemory> ReadMemory()
        {
            MemoryReadings++;
            return Memory;
        }
    }

    private sealed class ScriptedPart : IObservedPart, IPartReading
    {
        public Finding[] Found { get; set; } = [];

        public RowOrder Order { get; private set; }

        public string Name => "jobs";

        public string Line => "";

        public PartTable Table => new("", [], []);

        public IEnumerable<Finding> Find() => Found;

        public IPartReading Read(RowOrder order)
        {
            Order = order;
            return this;
        }

        public void Write(Utf8JsonWriter json)
        {
        }
    }
}
