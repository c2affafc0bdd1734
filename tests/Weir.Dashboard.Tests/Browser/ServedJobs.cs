using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Playwright;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>Answers of the jobs' admin API, in the form that the guide describes.</summary>
internal static class ServedJobs
{
    /// <summary>A job that failed, was edited, and failed again.</summary>
    public const string Failed = "01a21fc8-b399-76a9-bfbc-d2c0f613e375";

    /// <summary>A job whose arguments are large.</summary>
    public const string Large = "01a21fc8-aba0-7e4b-9844-05ad89f1932b";

    private const string Stack = "   at Shop.Reports.BuildAsync(String tenant, Int32 year) in /src/Reports.cs:line 41\n   at Shop.Reports.Build(String tenant, Int32 year) in /src/Reports.cs:line 12";

    /// <summary>The part about jobs of a record.</summary>
    public static object Part => new
    {
        waiting = 1_204,
        oldest = 3.0,
        running = 3,
        rate = 12.4,
        failed = 2,
        paused = new[] { "Mail/Send" },
        kindCount = 3,
        kinds = new Dictionary<string, object>
        {
            ["Reports/Build"] = new { waiting = 4, running = 2, rate = 0.4, failed = 1, p50 = 31.2, p99 = 252.0, paused = false },
            ["Orders/Charge"] = new { waiting = 1_100, running = 1, rate = 12.0, failed = 1, p50 = 0.12, p99 = 1.9, paused = false },
            ["Mail/Send"] = new { waiting = 100, running = 0, rate = 0.0, failed = 0, paused = true },
        },
    };

    /// <summary>Answers instead of the application.</summary>
    /// <param name="page">The page.</param>
    /// <param name="now">The moment of all of it, in seconds.</param>
    public static Task ServeAsync(IPage page, double now) => page.RouteAsync(
        new Regex(@"/\$jobs[/?]"),
        route =>
        {
            var url = new Uri(route.Request.Url);
            var (path, query) = (url.AbsolutePath[(url.AbsolutePath.IndexOf("$jobs", StringComparison.Ordinal) + 5)..], url.Query);
            return route.FulfillAsync(new() { ContentType = "application/json", Body = Answer(path, query, now) });
        });

    private static string Answer(string path, string query, double now) => path switch
    {
        "/kinds" => JsonSerializer.Serialize(new { kinds = new[] { Kind("Mail/Send", true, 0), Kind("Orders/Charge", false, 1), Kind("Reports/Build", false, 2) } }),
        "/counts" => JsonSerializer.Serialize(new
        {
            counts = new[]
            {
                Count("Reports/Build", "scheduled", 1), Count("Reports/Build", "ready", 3), Count("Reports/Build", "running", 2), Count("Reports/Build", "succeeded", 412), Count("Reports/Build", "failed", 1),
                Count("Orders/Charge", "ready", 1_100), Count("Orders/Charge", "running", 1), Count("Orders/Charge", "succeeded", 10_001), Count("Orders/Charge", "failed", 3), Count("Orders/Charge", "cancelled", 12),
                Count("Mail/Send", "ready", 100), Count("Mail/Send", "expired", 2), Count("Old/Import", "succeeded", 17),
            },
        }),
        "/schedules" => JsonSerializer.Serialize(new
        {
            schedules = new[]
            {
                Schedule("Reports/Build", "0 3 * * *", "Europe/Berlin", now, false, true, null), Schedule("Stock/Count", "*/5 * * * *", "UTC", now, true, true, null),
                Schedule("Mail/Digest", "0 8 * * 1", "Europe/Nowhere", now, false, true, "its time zone Europe/Nowhere is not known"), Schedule("Old/Import", "0 1 * * *", "UTC", now, false, false, null),
            },
        }),
        "" or "/" => JsonSerializer.Serialize(new { jobs = Jobs(now).Where(job => !query.Contains("state=failed", StringComparison.Ordinal) || job.State == "failed").Select(static job => job.Json), before = Large }),
        $"/{Failed}/state" or $"/{Large}/state" => JsonSerializer.Serialize(Jobs(now).First(job => path.Contains(job.Id, StringComparison.Ordinal)).Json),
        $"/{Failed}/attempts" => JsonSerializer.Serialize(new { attempts = Attempts(now) }),
        $"/{Failed}/arguments" => """{"tenant":"acme","year":2026,"pages":[1,2,3],"options":{"format":"pdf","signed":true}}""",
        $"/{Large}/arguments" => $$"""{"text":"{{new string('x', 100_000)}}"}""",
        _ => """{"attempts":[]}""",
    };

    private static object Kind(string name, bool isPaused, int running) => new { name, isPaused, running };

    private static object Count(string kind, string state, int count) => new { kind, state, count };

    private static object Schedule(string name, string cron, string timeZone, double now, bool isPaused, bool isDeclared, string? error) =>
        new { name, kind = name, cron, timeZone, source = "code", next = error is null ? Time(now + 9_000) : null, lastDue = Time(now - 300), lastJob = Large, isPaused, isDeclared, error };

    private static IEnumerable<(string Id, string State, object Json)> Jobs(double now)
    {
        yield return Job(Large, "Reports/Build", "running", null, null, 1, now, started: 72, progress: new { fraction = 0.4, text = "page 4 of 10" });
        yield return Job(Id(1), "Reports/Build", "running", null, "cancel", 1, now, started: 252);
        yield return Job(Failed, "Reports/Build", "failed", "crashed", null, 3, now, started: 400, ended: 380, error: "worker 5092 of images crashed: out of memory at 512 MB");
        foreach (var number in new[] { 2, 3, 4 })
        {
            yield return Job(Id(number), "Orders/Charge", "failed", "exception", null, 1, now, started: 500 + number, ended: 499, error: $"Shop.PaymentException: The card of order {Id(number)} was refused.");
        }

        yield return Job(Id(5), "Orders/Charge", "scheduled", null, null, 2, now, started: 30, ended: null, error: "System.TimeoutException: The payment service did not answer.");
        yield return Job(Id(6), "Orders/Charge", "ready", null, null, 0, now);
        yield return Job(Id(7), "Orders/Charge", "succeeded", null, null, 1, now, started: 41, ended: 40.88);
        yield return Job(Id(8), "Orders/Charge", "cancelled", null, null, 0, now, ended: 20);
        yield return Job(Id(9), "Mail/Send", "expired", null, null, 0, now, ended: 900);
    }

    private static string Id(int number) => $"01a21fc8-b399-76a9-bfbc-{number:d12}";

    private static (string Id, string State, object Json) Job(string id, string kind, string state, string? reason, string? stopping, int attempt, double now, double? started = null, double? ended = null, object? progress = null, string? error = null) => (id, state, new
    {
        id,
        kind,
        state,
        reason,
        stopping,
        attempt,
        attempts = kind == "Reports/Build" ? 5 : 3,
        submitted = Time(now - 1_000),
        due = Time(state == "scheduled" ? now + 95 : now - 1_000),
        started = started is { } begun ? Time(now - begun) : null,
        ended = ended is { } done ? Time(now - done) : null,
        expires = (string?)null,
        progress,
        items = 0,
        key = kind == "Mail/Send" ? null : "acme",
        priority = "normal",
        parent = (string?)null,
        problem = reason is null ? null : (object)new { code = "WEIR2011", detail = $"The worker of job {id} was lost.", report = "images-5092-3" },
        error,
        links = new { items = (string?)null },
    });

    private static object[] Attempts(double now) =>
    [
        Attempt(1, now, 900, 899, "threw", "Shop.TenantException", "There is no tenant acne.", Stack),
        Attempt(1, now, 800, 800, "edited", arguments: new { tenant = "acne", year = 2026 }),
        Attempt(2, now, 600, 590, "crashed", null, "worker 5081 of images crashed: out of memory at 512 MB", reportId: "images-5081-1"),
        Attempt(3, now, 400, 380, "crashed", null, "worker 5092 of images crashed: out of memory at 512 MB", reportId: "images-5092-3"),
    ];

    private static object Attempt(int fence, double now, double started, double ended, string outcome, string? exceptionType = null, string? message = null, string? stackTrace = null, object? arguments = null, string? reportId = null) => new
    {
        fence,
        started = Time(now - started),
        ended = Time(now - ended),
        outcome,
        arguments,
        exceptionType,
        message,
        stackTrace,
        reportId,
        report = reportId is null ? null : $"{reportId}\ncause: out of memory at 512 MB\nlast call: Reports/Build",
    };

    private static string Time(double seconds) => DateTimeOffset.FromUnixTimeMilliseconds((long)(1_000 * seconds)).ToString("O");
}
