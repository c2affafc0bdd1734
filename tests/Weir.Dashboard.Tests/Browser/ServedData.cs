using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.Playwright;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>Answers to what the page asks for, in the form that the guide describes: a state of an application that no test could bring about twice alike.</summary>
internal static class ServedData
{
    private const string Trace = "4f3a90bc4f3a90bc4f3a90bc4f3a90bc";
    private const int WaveSeconds = 100;

    // The moment of all of it: a time of today is shown without its date.
    private static readonly double Now = TimeProvider.System.GetUtcNow().ToUnixTimeSeconds();

    private static readonly string[] OperationNumbers = ["calls", "failed", "longest"];
    private static readonly string[] PoolNumbers = ["workers", "starting", "busy", "max", "queued", "waiting", "oldest", "succeeded", "failed", "rejected"];

    private static readonly JsonSerializerOptions Options = new() { DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull };

    /// <summary>Answers instead of the application.</summary>
    /// <param name="page">The page.</param>
    /// <param name="records">The records of the stream, one after another; the last one is the snapshot too.</param>
    public static Task ServeAsync(IPage page, params string[] records) => ServeAsync(page, fewOperations: true, records);

    /// <summary>Answers instead of the application.</summary>
    /// <param name="page">The page.</param>
    /// <param name="fewOperations">Whether there are four operations; otherwise a thousand.</param>
    /// <param name="records">The records of the stream, one after another; the last one is the snapshot too.</param>
    public static async Task ServeAsync(IPage page, bool fewOperations, params string[] records)
    {
        // A stream that stays open, which a single answer cannot be.
        await page.AddInitScriptAsync($$"""
            window.streams = 0;
            window.EventSource = class extends EventTarget {
              constructor() {
                super();
                window.streams++;
                const records = {{Json(records)}};
                let at = 0;
                setTimeout(() => this.dispatchEvent(new MessageEvent('hello', { data: '{"application":"shop-api","instance":"web-2","version":"0.9.1","mayAct":false,"jobs":"../$jobs"}' })), 0);
                this.timer = setInterval(() => this.dispatchEvent(new MessageEvent('tick', { data: records[Math.min(at++, records.length - 1)] })), 300);
              }
              close() {
                clearInterval(this.timer);
                window.streams--;
              }
            };
            """);
        await ServedJobs.ServeAsync(page, Now);
        await AnswerAsync("snapshot", _ => records[^1]);
        await AnswerAsync("history?**", History);
        await AnswerAsync("operations", _ => Json(new
        {
            operations = !fewOperations ? [.. Enumerable.Range(0, 1_000).Select(static number => Operation($"Service{number % 40}/Operation{number}", "pool", $"idle{number % 97}", number, number % 7))] : new[] { Operation("Images/Scale", "pool", "images", 1_260, 3), Operation("Orders/Find", "inline", null, 8_400, 0), Operation("Files/Hash", "lane", null, 12, 0), Operation("Orders/Never", "inline", null, 0, 0) },
        }));
        await AnswerAsync("operation?**", static _ => Json(OneOperation()));
        await AnswerAsync("calls", static _ => Json(new { running = 20_000, list = Enumerable.Range(0, 200).Select(Call) }));
        await AnswerAsync("pool?**", static _ => Json(OnePool()));
        await AnswerAsync("reports", static _ => Json(new { reports = Reports() }));
        await AnswerAsync("reports/images-5092-3", static _ => Json(OneReport()));
        await AnswerAsync("host", static _ => Json(new
        {
            processors = 16,
            memory = 700L << 20,
            gcHeap = 115L << 20,
            gcPause = 1.2,
            threadPool = new { threads = 20, queued = 3 },
            sockets = new { open = 1_240, closing = 310, dropped = 12 },
            capacity = new[]
            {
                new { name = "memory", left = "1,200 MB free", isShort = false, detail = (string?)null, nextStep = (string?)null },
                new { name = "workers", left = "none", isShort = true, detail = (string?)"limited by memory", nextStep = (string?)"free or raise what limits them" },
            },
        }));

        Task AnswerAsync(string address, Func<string, string> answer) => page.RouteAsync($"**/weir/{address}", route => route.FulfillAsync(new() { ContentType = "application/json", Body = answer(route.Request.Url) }));
    }

    /// <summary>A record with findings, and with more pools and operations than a screen has lines.</summary>
    /// <param name="pid">The process that answers.</param>
    public static string Record(int pid = 4711) => Json(new
    {
        schema = 1,
        t = Now,
        application = "shop-api",
        pid,
        recordingSince = Now - 273_600,
        findings = new[]
        {
            Finding("cannotStart", "failing", "hashing", null, 52, "hashing cannot start workers (5 of 5 failed in 10 s): start: services, \"connection refused\"", "Read the report of the last start. See WEIR2013.", "hashing-5120-7"),
            Finding("waiting", "waiting", "images", "Images/Scale", 30, "images: 48 calls wait, the oldest 12.4 s; 8 of 8 are busy, mostly with Images/Scale", "Look at what its workers run: a call that takes long blocks the others. Raise MaxWorkers, or give slow operations a pool of their own.", null),
            Finding("state", "notice", "reports", null, 9_000, "reports runs without a limit that was asked for, as BestEffort allows: memory", "'weir doctor' says what the machine lacks.", null),
        },
        findingCount = 5,
        findingsChangedAt = Now - 30,
        poolCount = 303,
        pools = new Dictionary<string, object>
        {
            ["hashing"] = Pool("failing", 0, 1, 0, 2, 5, 50, 50, 38.2, 12, 12, null),
            ["images"] = Pool("waiting", 8, 0, 8, 1, 8, 48, 80, 12.4, 21, 0, 6.1),
            ["(lane)"] = Pool("busy", 64, 0, 12, 64, 1_024, 0, 10_000, null, 140, 0, 0.018),
        }.Concat(Enumerable.Range(0, 97).Select(static number => KeyValuePair.Create($"idle{number}", Pool("idle", 0, 0, 0, 0, 4, 0, 40, null, 0, 0, null)))).ToDictionary(),
        operationCount = 1_000,
        operations = new Dictionary<string, object> { ["Images/Scale"] = Operation("Images/Scale", null, "images", 1_260, 3), ["Orders/Find"] = Operation("Orders/Find", null, null, 8_400, 0) },
        calls = new { running = 12, list = Enumerable.Range(0, 12).Select(Call) },
        reports = Reports(),
        jobs = ServedJobs.Part,
    });

    private static string Json(object value) => JsonSerializer.Serialize(value, Options);

    private static object Finding(string kind, string severity, string pool, string? op, double ago, string sentence, string toDo, string? report) => new { kind, severity, pool, op, since = Now - ago, sentence, toDo, report };

    private static object Pool(string state, int workers, int starting, int busy, int min, int max, int queued, int queueLimit, double? oldest, int rate, int failed, double? p95) =>
        new { state, workers, starting, busy, min, max, queued, queuedMax = queued, queueLimit, waiting = 0, oldest, rate, failed, p95 };

    private static object Operation(string op, string? where, string? pool, int calls, int failed) =>
        new { op, where, pool, calls, failed, p50 = 0.4, p95 = 6.1, p99 = 7.2, max = 9.1, phases = new { bind = 1, filters = 2, queue = 70, run = 30, write = 4 } };

    private static object[] Reports() =>
    [
        new { id = "hashing-5120-7", t = Now - 40, pool = "hashing", cause = "start: services, \"connection refused\"", phase = "start", op = (string?)null, pid = 5120 },
        new { id = "images-5092-3", t = Now - 400, pool = "images", cause = "out of memory at 512 MB", phase = "call", op = (string?)"Images/Scale", pid = 5092 },
        new { id = "images-5081-1", t = Now - 900, pool = "images", cause = "out of memory at 512 MB", phase = "call", op = (string?)"Images/Scale", pid = 5081 },
    ];

    private static object OneReport() => new
    {
        id = "images-5092-3",
        pool = "images",
        pid = 5092,
        generation = 0,
        at = DateTimeOffset.FromUnixTimeSeconds((long)Now - 400),
        phase = "call",
        cause = "out of memory at 512 MB",
        signal = 9,
        age = 41.2,
        callsDone = 17,
        calls = new[] { new { id = 812, operation = "Images/Scale", state = "running", before = 41.0 } },
        output = string.Concat(Enumerable.Range(0, 40).Select(static line => $"info: Images[{line}] scaled picture {line} of the order\n")) + "Out of memory.\n",
        limits = new { memoryBytes = 512L << 20, endsEverything = false, missing = Array.Empty<string>() },
    };

    private static object OneOperation() => new
    {
        op = "Images/Scale",
        where = "pool",
        pool = "images",
        calls = 1_260,
        failed = 3,
        p50 = 0.4,
        p95 = 6.1,
        p99 = 7.2,
        max = 9.1,
        phases = new { bind = 1, filters = 2, queue = 70, run = 17, write = 1 },
        five = new { calls = 6_100, failed = 7, p50 = 0.4, p95 = 5.9, p99 = 7.2, max = 9.1 },
        statuses = new { NotFound = 2, WorkerLost = 1 },
        slowest = new[] { Kept("Succeeded", null, null) },
        lastFailed = new[] { Kept("WorkerLost", "WEIR2011", "images-5092-3") },
    };

    private static object Kept(string status, string? error, string? report) =>
        new { t = Now - 200, @for = 9.1, phases = new { bind = 0.01, filters = 0.01, queue = 7, run = 2, write = 0.08 }, status, error, trace = Trace, pid = 5092, report };

    // One is cancelled and runs on, eight more run, the others wait.
    private static object Call(int at) => new
    {
        id = $"{812 + at}",
        op = at == 0 ? "Reports/Build" : "Images/Scale",
        pool = at == 0 ? "reports" : "images",
        pid = at < 9 ? 5092 + at : (int?)null,
        phase = at < 9 ? "assigned" : "queue",
        waited = at < 9 ? 0.1 : 12.4 - (at * 0.01),
        @for = at == 0 ? 252 : 12.4 - (at * 0.01),
        cancelled = at == 0 ? true : (bool?)null,
        trace = Trace,
    };

    // Two waves: five workers, of which two retire and one fails, and a queue that becomes shorter.
    private static string History(string url)
    {
        var (step, count) = url.Contains("span=2m", StringComparison.Ordinal) ? (1, 120) : (10, 360);
        return url.Contains("of=operation", StringComparison.Ordinal)
            ? Json(new { step, names = OperationNumbers, points = Enumerable.Range(0, count).Select(at => new[] { Time(at), 100 + (at * 7 % 31), at % 40 == 0 ? 3 : 0, 0.2 + (at % 13 * 0.1) }) })
            : Json(new { step, names = PoolNumbers, points = Enumerable.Range(0, count).Select(Point) });

        double Time(int at) => Now - ((count - at) * step);

        double[] Point(int at)
        {
            var wave = at * step % WaveSeconds;
            var busy = wave < 30 ? 5 : wave < 36 ? 2 : 0;
            return [Time(at), wave < 40 ? 5 : 2, 0, busy, 5, wave < 30 ? 50 - wave : 0, 0, wave < 30 ? 2 : 0, busy * 12 * step, wave is > 20 and < 26 ? 2 * step : 0, 0];
        }
    }

    private static object OnePool() => new
    {
        name = "images",
        pool = Pool("waiting", 3, 1, 2, 2, 5, 38, 50, 1.9, 21, 0, 6.1),
        workers = new object[]
        {
            new { pid = 5101, serial = 0, generation = 0, state = "busy", age = 96.0, calls = 61, memory = 90L << 20, limits = "memory 512 MB (RLIMIT_DATA)", running = new[] { new { id = "813", op = "Images/Scale", @for = 6.2 } } },
            new { pid = 5102, serial = 1, generation = 0, state = "idle", age = 95.7, calls = 58, memory = 87L << 20 },
        },
        isolation = "process: own memory and statics, own process group",
        options = new { MinWorkers = "2", MaxWorkers = "5", QueueLimit = "50", IdleTimeout = "3 s", MemoryLimitBytes = "536870912", CpuLimit = "no limit" },
        events = Enumerable.Range(0, 5).SelectMany(static serial => new[] { Event(-96 + (0.3 * serial), "started", serial), Event(-94 + (0.4 * serial), "ready", serial) })
            .Concat([Event(-62, "ended", 2, "idle"), Event(-61.5, "ended", 3, "idle"), Event(-75, "ended", 4, "failedInCall", "images-5092-3"), Event(-1, "started", 5)]),
    };

    private static object Event(double at, string what, int serial, string? end = null, string? report = null) => new { t = Now + at, @event = what, pool = "images", pid = 5101 + serial, serial, generation = 0, end, report };
}
