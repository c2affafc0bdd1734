using System.Buffers;
using System.Diagnostics;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Findings;
using Weir.Execution.Observation.Records;
using Weir.Tests.Execution;

namespace Weir.Tests.Observation.Records;

public sealed partial class RecordTests
{
    private static readonly DateTimeOffset Now = new(2026, 11, 28, 3, 12, 4, TimeSpan.Zero);
    private static readonly Operation Scale = Isolated("Images", "Scale", "images");

    [Fact]
    public void A_record_has_the_documented_form()
    {
        const string Expected = """
            {
              "schema":1,"t":1795835524,"application":"shop-api","pid":4711,"recordingSince":1795831924,
              "findings":[{"kind":"waiting","severity":"waiting","pool":"images","since":1795835514,"sentence":"images: 48 calls wait","toDo":"Look."}],"findingCount":1,
              "findingsChangedAt":1795835514,
              "poolCount":1,
              "pools":{"images":{"state":"waiting","workers":8,"starting":0,"busy":8,"min":1,"max":8,"queued":48,"queuedMax":51,"queueLimit":80,"waiting":0,"oldest":12.4,"rate":21,"failed":0,"minuteCalls":1260,"minuteFailed":3,"p95":6.1}},
              "operationCount":1,
              "operations":{"Images/Scale":{"pool":"images","calls":60,"failed":3,"p50":1,"p95":2,"p99":3,"max":4,"phases":{"bind":0.1,"filters":0.1,"queue":0.2,"run":0.5,"write":0.1}}},
              "calls":{"running":60,"list":[{"id":"812","op":"Images/Scale","where":"pool","pool":"images","pid":5092,"phase":"assigned","waited":0.1,"for":252.1,"cancelled":true,"trace":"4f3a0000000000000000000000000001"}]},
              "reports":[{"id":"images-5120-7","t":1795835524,"pool":"images","cause":"out of memory","phase":"call","op":"Images/Scale","pid":5120}]
            }
            """;
        Assert.Equal(string.Concat(Expected.Split('\n').Select(static line => line.Trim())), Json(json => RecordWriter.Write(json, Reading())));
    }

    [Fact]
    public void What_has_no_value_is_left_out()
    {
        var reading = Reading() with
        {
            FindingsChangedAt = null,
            Findings = [],
            Pools = [new PoolRow("images", "idle", default, 0, 0, 0, 0, null)],
            Operations = [new OperationRow(Some.Operation(), 1, 0, null, null, null, null, default)],
            Calls = [new RunningCallReading(1, Some.Operation(), RecordedPhase.Run, default, default, 0, IsCancelled: false)],
            Reports = [],
        };
        var text = Json(json => RecordWriter.Write(json, reading));
        Assert.All(["findingsChangedAt", "oldest", "p95", "trace", "cancelled", "canCancel", "caller", "\"op\":null"], name => Assert.DoesNotContain(name, text, StringComparison.Ordinal));
    }

    [Fact]
    public void An_event_of_a_worker_has_the_documented_form()
    {
        Assert.Equal(
            """{"t":1795835524,"event":"ready","pool":"images","pid":5120,"serial":7,"generation":2}""",
            Json(static json => RecordWriter.Write(json, new WorkerEvent("images", 7, Now.UtcTicks, 5120, 2, WorkerEventKind.Ready, WorkerEnd.None))));
        Assert.Equal(
            """{"t":1795835524,"event":"ended","pool":"images","pid":5120,"serial":7,"generation":2,"end":"failedInCall","report":"images-5120-7"}""",
            Json(static json => RecordWriter.Write(json, new WorkerEvent("images", 7, Now.UtcTicks, 5120, 2, WorkerEventKind.Ended, WorkerEnd.FailedInCall))));
        Assert.EndsWith("\"end\":\"idle\"}", Json(static json => RecordWriter.Write(json, new WorkerEvent("images", 7, 0, 1, 0, WorkerEventKind.Ended, WorkerEnd.Idle))), StringComparison.Ordinal);
    }

    [Fact]
    public void A_history_has_the_names_once_and_gaps_where_nothing_was_read() => Assert.Equal(
        """{"schema":1,"step":10,"names":["calls","failed"],"points":[[1795835524,1,0.5],[1795835554,2,0]]}""",
        Json(static json => RecordWriter.Write(json, Now, 10, ["calls", "failed"], [new HistoryPoint(0, [1, 0.5f]), new HistoryPoint(30, [2, 0])])));

    [Fact]
    public void A_record_of_300_pools_1000_operations_and_4000_calls_is_at_most_64_KB_and_has_the_totals()
    {
        var time = new ManualTime();
        var workers = new WorkerObserver(time);
        using var recorder = new Recorder(time, 3 << 20, workers);
        for (var i = 0; i < 300; i++)
        {
            recorder.Add(new BusyPool($"pool-{i}"));
        }

        for (var i = 0; i < 1000; i++)
        {
            var operation = Isolated("Some" + new string('x', 40), $"Operation{i}", $"pool-{i % 300}");
            for (var calls = 0; calls < 4; calls++)
            {
                recorder.Begin(operation, isFromCode: false, CancellationToken.None);
            }

            recorder.Begin(operation, isFromCode: false, CancellationToken.None).End(new TimeoutException());
        }

        time.Advance(TimeSpan.FromMinutes(2));
        var reading = new ApplicationReader("shop-api", recorder, new FindingWatch(recorder, workers, static () => StarvationReading.None, time), workers, time).Read();
        Assert.Equal((300, 1000, 4000), (reading.PoolCount, reading.OperationCount, reading.CallCount));
        Assert.InRange(Json(json => RecordWriter.Write(json, reading)).Length, 20_000, 64 << 10);
        var waiting = Math.Min(4000, reading.Pools.Sum(static pool => pool.Reading.Queued));
        Assert.Contains($"CALLS NOW: {4000 - waiting} run, {waiting} wait", TextView.Write(reading, TimeZoneInfo.Utc), StringComparison.Ordinal);
    }

    [Fact]
    public void The_text_says_first_what_is_wrong_and_then_shows_the_figures()
    {
        Assert.Equal(
            """
            shop-api · pid 4711 · 2026-11-28 03:12:04
            ! images: 48 calls wait, since 03:11:54
                Look.

            POOLS     workers           queue  oldest  calls/min  failed/min  p95
            ! images  8 busy, 8 of 1–8  48/80  12.4 s  1260       3           6.1 s

            CALLS NOW: 12 run, 48 wait     for         waited    phase   where        trace
            #812 Images/Scale (cancelled)  4 min 12 s  100.0 ms  worker  images 5092  4f3a0000000000000000000000000001

            OPERATIONS, last minute  calls  failed  p50    p95    p99    max    bind|filters|queue|run|write
            Images/Scale             60     3       1.0 s  2.0 s  3.0 s  4.0 s  10|10|20|50|10 %

            RECENT WORKER FAILURES  times  last report    phase  operation     cause
            03:12:04                1      images-5120-7  call   Images/Scale  out of memory

            """,
            TextView.Write(Reading(), TimeZoneInfo.Utc));
    }

    [Fact]
    public void A_part_adds_a_member_behind_the_others_a_line_and_a_table()
    {
        var reading = Reading() with { Parts = [new OnePart()] };
        Assert.EndsWith("""],"parcels":{"running":8}}""", Json(json => RecordWriter.Write(json, reading)), StringComparison.Ordinal);
        Assert.EndsWith("out of memory\n\nPARCELS  running 8\n\nKINDS   waiting\nSome a  1,204\nSome b  –\n", TextView.Write(reading, TimeZoneInfo.Utc), StringComparison.Ordinal);
    }

    [Fact]
    public void A_finding_of_a_part_has_the_name_that_the_part_gives_it()
    {
        var reading = Reading() with { Findings = [new Finding(FindingKind.Part, FindingSeverity.Failing, null, null, null, "lost", "Look.") { Name = "parcelLost" }] };
        Assert.Contains("""{"kind":"parcelLost","severity":"failing",""", Json(json => RecordWriter.Write(json, reading)), StringComparison.Ordinal);
    }

    // Not of an enumeration, which is internal, and a theory is public.
    [Theory]
    [InlineData(0, "POOLS,CALLS NOW,OPERATIONS,RECENT WORKER FAILURES,PARCELS,KINDS")]
    [InlineData(1, "POOLS,RECENT WORKER FAILURES")]
    [InlineData(2, "CALLS NOW")]
    [InlineData(3, "OPERATIONS")]
    [InlineData(4, "PARCELS,KINDS")]
    public void A_view_has_its_own_tables_below_what_is_wrong(int tables, string titles)
    {
        var text = TextView.Write(Reading() with { Parts = [new OnePart()] }, TimeZoneInfo.Utc, (TextTables)tables);
        Assert.Equal(titles.Split(','), text.Split('\n').Where(static line => line is [>= 'A' and <= 'Z', >= 'A' and <= 'Z', ..]).Select(static line => TitleOf().Match(line).Value));
        Assert.Contains("! images: 48 calls wait", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_view_of_one_kind_of_table_has_all_its_rows()
    {
        var reading = Reading() with { Operations = [.. Enumerable.Range(0, 50).Select(i => Reading().Operations[0] with { Operation = Isolated("Images", $"Scale{i}", "images") })] };
        Assert.Equal(20, Rows(TextTables.All));
        Assert.Equal(50, Rows(TextTables.Operations));

        int Rows(TextTables tables) => TextView.Write(reading, TimeZoneInfo.Utc, tables).Split('\n').Count(static line => line.StartsWith("Images/Scale", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(0, "Many,Slow,Failing")]
    [InlineData(1, "Many,Slow,Failing")]
    [InlineData(2, "Slow,Failing,Many")]
    [InlineData(3, "Failing,Many,Slow")]
    public void Operations_are_ordered_before_they_are_cut(int order, string names)
    {
        var time = new ManualTime();
        var workers = new WorkerObserver(time);
        using var recorder = new Recorder(time, 3 << 20, workers);
        Call("Many", 30, TimeSpan.FromMilliseconds(1));
        Call("Slow", 3, TimeSpan.FromSeconds(1));
        Call("Failing", 2, TimeSpan.FromMilliseconds(100), new TimeoutException());
        time.Advance(TimeSpan.FromSeconds(1));
        var reading = new ApplicationReader("shop-api", recorder, new FindingWatch(recorder, workers, static () => StarvationReading.None, time), workers, time).Read((RowOrder)order);
        Assert.Equal(names.Split(','), reading.Operations.Select(static row => row.Operation.Name));

        void Call(string name, int calls, TimeSpan took, Exception? failure = null)
        {
            var operation = Isolated("Images", name, "images");
            for (var i = 0; i < calls; i++)
            {
                var recording = recorder.Begin(operation, isFromCode: false, CancellationToken.None);
                recording.Call!.Executing(queues: false);
                time.Advance(took);
                recording.End(failure);
            }
        }
    }

    [Fact]
    public void Columns_stand_below_each_other()
    {
        var lines = TextView.Write(Reading(), TimeZoneInfo.Utc).Split('\n');
        var head = lines.Single(static line => line.StartsWith("POOLS", StringComparison.Ordinal));
        var row = lines.Single(static line => line.StartsWith("! images  ", StringComparison.Ordinal));
        Assert.Equal(head.IndexOf("queue", StringComparison.Ordinal), row.IndexOf("48/80", StringComparison.Ordinal));
        Assert.Equal(head.IndexOf("p95", StringComparison.Ordinal), row.IndexOf("6.1 s", StringComparison.Ordinal));
        Assert.All(lines, static line => Assert.Equal(line.TrimEnd(), line));
    }

    [Fact]
    public void The_text_says_that_nothing_is_wrong_and_since_when()
    {
        Assert.Contains("\nNothing is wrong since 03:11:54.\n", TextView.Write(Reading() with { Findings = [] }, TimeZoneInfo.Utc), StringComparison.Ordinal);
        Assert.Contains("\nNothing is wrong since 02:12:04.\n", TextView.Write(Reading() with { Findings = [], FindingsChangedAt = null }, TimeZoneInfo.Utc), StringComparison.Ordinal);
    }

    [Fact]
    public void What_a_worker_said_cannot_control_a_terminal_or_add_a_line()
    {
        var text = TextView.Write(Reading() with { Reports = [new CrashReportSummary("images-1-1", Now, "images", "\u001b[2Jfirst\nsecond", "call", null, 1)] }, TimeZoneInfo.Utc);
        Assert.DoesNotContain('\u001b', text);
        Assert.Contains("first second", text, StringComparison.Ordinal);
    }

    private static ApplicationReading Reading() => new()
    {
        Name = "shop-api",
        ProcessId = 4711,
        Now = Now,
        Began = Now.AddHours(-1),
        FindingsChangedAt = Now.AddSeconds(-10),
        FindingCount = 1,
        Findings = [new Finding(FindingKind.Waiting, FindingSeverity.Waiting, "images", null, null, "images: 48 calls wait", "Look.") { Since = Now.AddSeconds(-10) }],
        PoolCount = 1,
        Pools =
        [
            new PoolRow(
                "images", "waiting",
                new PoolReading { Workers = 8, Busy = 8, MinWorkers = 1, MaxWorkers = 8, Queued = 48, MostQueued = 51, QueueLimit = 80, Oldest = TimeSpan.FromSeconds(12.4) }, 21, 0, 1260, 3, 6.1),
        ],
        OperationCount = 1,
        Operations = [new OperationRow(Scale, 60, 3, 1, 2, 3, 4, new PhaseTimes(TimeSpan.FromSeconds(0.1), TimeSpan.FromSeconds(0.1), TimeSpan.FromSeconds(0.2), TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.1)))],
        CallCount = 60,
        Calls =
        [
            new RunningCallReading(
                812, Scale, RecordedPhase.Assigned, new PhaseTimes(default, default, TimeSpan.FromSeconds(0.1), TimeSpan.FromSeconds(252), default),
                ActivityTraceId.CreateFromString("4f3a0000000000000000000000000001"), 5092, IsCancelled: true),
        ],
        Reports = [new CrashReportSummary("images-5120-7", Now, "images", "out of memory", "call", "Images/Scale", 5120)],
    };

    private static string Json(Action<Utf8JsonWriter> write)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes))
        {
            write(json);
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    private static Operation Isolated(string service, string name, string pool)
    {
        var operation = new Operation
        {
            Name = name,
            Verbs = Verbs.Post,
            Placement = Placement.Isolated,
            Pool = pool,
            ResultKind = ResultKind.Value,
            Signature = 1,
            CreateCall = static operation => new DelegateCall(operation, static _ => 0),
        };
        _ = new Service { Name = service, TypeName = service, CreateInstance = static _ => new object(), Operations = [operation] };
        return operation;
    }

    [GeneratedRegex("^[A-Z]+( [A-Z]+)*")]
    private static partial Regex TitleOf();

    private sealed class OnePart : IPartReading
    {
        public string Name => "parcels";

        public string Line => "PARCELS  running 8";

        public PartTable Table => new("KINDS", ["waiting"], [["Some a", "1,204"], ["Some b", "–"]]);

        public void Write(Utf8JsonWriter json)
        {
            json.WriteStartObject();
            json.WriteNumber("running", 8);
            json.WriteEndObject();
        }
    }

    private sealed class BusyPool(string name) : IObservedPool
    {
        public string Name => name;

        public PoolReading Read() => new() { MinWorkers = 1, MaxWorkers = 1024, Workers = 1000, Busy = 999, Queued = 12345, MostQueued = 12345, QueueLimit = 20000, Oldest = TimeSpan.FromSeconds(0.123456) };
    }
}
