using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Packaging;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.IntegrationTests.Workers;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>The <c>traceId</c> and the <c>report</c> of a problem lead to the call in the log, whatever the problem's code.</summary>
public sealed partial class FailureLogTests
{
    private const int Exception = 4201;
    private const int LostWorker = 4212;
    private const int NotServed = 4213;

    // A worker that serves something else.
    private const string Other =
        """
        from weir_worker import operation, run
        @operation('Compliance/Other')
        def other(): pass
        run()
        """;

    // One that writes on its data channel what no frame is.
    private const string Violating =
        """
        source = open(program).read().replace("def nothing() -> None:\n    pass", "def nothing() -> None:\n    os.write(3, bytes([255]) * 64)\n    time.sleep(60)")
        exec(compile(source, program, 'exec'), {'__name__': '__main__', '__file__': program})
        """;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>How the pools are set up, what is called, the answer, and the event and the level of its record.</summary>
    public static TheoryData<string, string, int, string, int, LogLevel> Failures => new()
    {
        { "well", "InlineSync/Fail?message=secret", 500, WeirCodes.HandlerFailed, Exception, LogLevel.Error },
        { "well", "LaneSync/Fail?message=secret", 500, WeirCodes.HandlerFailed, Exception, LogLevel.Error },
        { "well", "IsolatedSync/Fail?message=secret", 500, WeirCodes.HandlerFailed, Exception, LogLevel.Error },
        { "well", "Controlled/Crash", 502, WeirCodes.WorkerLost, LostWorker, LogLevel.Error },
        { "violates", "Compliance/Nothing", 502, WeirCodes.ProtocolViolation, LostWorker, LogLevel.Error },
        { "cold", "Controlled/ProcessId", 502, WeirCodes.WorkerStartFailed, LostWorker, LogLevel.Error },
        { "slow", "Controlled/ProcessId", 502, WeirCodes.WorkerStartFailed, LostWorker, LogLevel.Error },
        { "dies", "Compliance/Nothing", 502, WeirCodes.WorkerStartFailed, LostWorker, LogLevel.Error },
        { "other", "Compliance/Nothing", 502, WeirCodes.CatalogMismatch, LostWorker, LogLevel.Error },
        { "missing", "Compliance/Nothing", 503, WeirCodes.ProgramMissing, NotServed, LogLevel.Information },
        { "well", "InlineAsync/UntilCancelled", 504, WeirCodes.DeadlineExceeded, NotServed, LogLevel.Information },
        { "well", "IsolatedAsync/UntilCancelled", 504, WeirCodes.DeadlineExceeded, NotServed, LogLevel.Information },
    };

    [Theory]
    [MemberData(nameof(Failures))]
    public async Task A_failed_call_has_one_record_in_the_trace_that_its_caller_reads(string pools, string call, int status, string code, int @event, LogLevel level)
    {
        await using var host = await StartAsync(pools);
        using var request = new HttpRequestMessage(HttpMethod.Post, $"/{call}");
        if (status == 504)
        {
            request.Headers.Add("Weir-Deadline-Ms", "1");
        }

        using var response = await host.Client.SendAsync(request, Cancel);
        var problem = await response.ReadProblemAsync(status, code);

        var line = Assert.Single(RecordsOf(host, problem));
        Assert.Equal((@event, level), (line.Event, line.Level));
        Assert.Equal((call.Split('?')[0], status, code), (line.Fields["Operation"], line.Fields["Status"], line.Fields["Code"]));
        Assert.DoesNotContain("secret", problem.GetProperty("detail").GetString()!, StringComparison.Ordinal);
        Assert.Equal(call.EndsWith("secret", StringComparison.Ordinal), line.Error?.Message.Contains("secret", StringComparison.Ordinal) ?? false);
        if (problem.TryGetProperty("report", out var report))
        {
            // Of the call, and of its pool: how the worker ended, with what it printed.
            Assert.Equal(report.GetString(), line.Fields["ReportId"]);
            var id = report.GetString();
            bool IsOfPool(RecordedLog.Line other) => other.Event is 4302 or 4304 && Equals(other.Fields["ReportId"], id);
            Assert.True(await ProcFiles.EventuallyAsync(() => host.Log.Lines.Any(IsOfPool), TimeSpan.FromSeconds(60)));
            var known = Assert.Single(host.Log.Lines, IsOfPool);
            Assert.Equal(LogLevel.Error, known.Level);
            if (Printed(pools, call) is { } printed)
            {
                Assert.Contains(printed, known.Text, StringComparison.Ordinal);
            }
        }

        if (pools == "cold")
        {
            // The problem does not say it, and points here.
            Assert.DoesNotContain("no model here", problem.GetProperty("detail").GetString()!, StringComparison.Ordinal);
            Assert.Contains("no model here", line.Text, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("InlineAsync")]
    [InlineData("IsolatedAsync")]
    public async Task A_stream_that_fails_after_its_first_item_has_its_record_too(string service)
    {
        await using var host = await StartAsync("well");
        using var request = new HttpRequestMessage(HttpMethod.Post, $"/{service}/CountAndFail?n=3");
        request.Headers.Add("Accept", "application/x-ndjson; weir=1");
        using var response = await host.Client.SendAsync(request, Cancel);
        var lines = (await response.Content.ReadAsStringAsync(Cancel)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        using var last = JsonDocument.Parse(lines[^1]);
        var line = Assert.Single(RecordsOf(host, last.RootElement.GetProperty("$weir").GetProperty("problem")));
        Assert.Equal((Exception, LogLevel.Error, 500), (line.Event, line.Level, line.Fields["Status"]));
    }

    [Fact]
    public async Task A_call_that_is_rejected_or_in_quarantine_or_late_is_counted_in_one_warning()
    {
        var host = await StartAsync("well");
        try
        {
            // 1. Two workers are lost, so the third call does not run.
            for (var i = 0; i < 2; i++)
            {
                using var lost = await host.Client.PostAsync("/Controlled/Crash", null, Cancel);
                Assert.True((await lost.ReadProblemAsync(502, WeirCodes.WorkerLost)).TryGetProperty("report", out _));
            }

            using var held = await host.Client.PostAsync("/Controlled/Crash", null, Cancel);
            var problem = await held.ReadProblemAsync(502, WeirCodes.WorkerLost);
            Assert.False(problem.TryGetProperty("report", out _));
            Assert.Equal((NotServed, LogLevel.Information), Assert.Single(RecordsOf(host, problem)) is var line ? (line.Event, line.Level) : default);

            // 2. Deadlines that pass before the call has reached its pool, or the lane.
            foreach (var operation in (string[])["Controlled/ProcessId", "Controlled/Wait?milliseconds=60000", "LaneSync/ProcessId"])
            {
                using var request = new HttpRequestMessage(HttpMethod.Post, $"/{operation}");
                request.Headers.Add("Weir-Deadline-Ms", "0");
                using var late = await host.Client.SendAsync(request, Cancel);
                Assert.Single(RecordsOf(host, await late.ReadProblemAsync(504, WeirCodes.DeadlineExceeded)));
            }

            // 3. One worker, and a queue of one: of these calls at least one is rejected.
            var calls = Enumerable.Range(0, 8).Select(_ => host.Client.PostAsync("/Controlled/Wait?milliseconds=300", null, Cancel)).ToArray();
            foreach (var response in await Task.WhenAll(calls))
            {
                using (response)
                {
                    if (response.StatusCode == HttpStatusCode.ServiceUnavailable)
                    {
                        Assert.Single(RecordsOf(host, await response.ReadProblemAsync(503, WeirCodes.QueueFull)));
                    }
                }
            }
        }
        finally
        {
            await host.DisposeAsync();
        }

        // Whatever was counted until then is reported when the host stops.
        var warnings = host.Log.Lines.Where(static line => line.Event == 4322).ToArray();
        Assert.All(warnings, static warning => Assert.Equal((LogLevel.Warning, "controlled"), (warning.Level, warning.Fields["Pool"])));
        var text = string.Join(' ', warnings.Select(static warning => warning.Text));
        Assert.Equal(2, LateCalls().Matches(text).Sum(static match => int.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)));
        Assert.Contains("1 are in quarantine", text, StringComparison.Ordinal);
        Assert.Contains("were rejected, because its queue of 1 (QueueLimit) is full", text, StringComparison.Ordinal);
        Assert.Contains("did not serve 1 calls", Assert.Single(host.Log.Lines, static line => line.Event == 4323).Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_status_from_500_on_that_an_operation_chooses_is_recorded_too()
    {
        await using var host = await StartAsync("well");
        foreach (var status in (int[])[499, 503])
        {
            using var response = await host.Client.PostAsync($"/InlineSync/Refuse?statusCode={status}", null, Cancel);
            Assert.Equal(status, (int)response.StatusCode);
        }

        var line = Assert.Single(host.Log.Lines, static line => line.Category == "Weir.AspNetCore");
        Assert.Equal((NotServed, LogLevel.Information, 503), (line.Event, line.Level, line.Fields["Status"]));
    }

    [Fact]
    public async Task A_client_with_another_contract_is_an_event()
    {
        await using var host = await StartAsync("well");
        for (var i = 0; i < 3; i++)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "/InlineSync/ProcessId");
            request.Headers.Add("Accept", "application/json;signature=0123456789abcdef");
            using var response = await host.Client.SendAsync(request, Cancel);
            await response.ReadProblemAsync(412, WeirCodes.ContractChanged);
        }

        var line = Assert.Single(host.Log.Lines, static line => line.Event == 4214);
        Assert.Equal((LogLevel.Information, "InlineSync/ProcessId", "0123456789abcdef"), (line.Level, line.Fields["Operation"], line.Fields["Known"]));
    }

    [Fact]
    public async Task A_host_that_stops_says_for_what_it_waits()
    {
        var host = await StartAsync("well");
        try
        {
            using var checkpoint = new Checkpoint();
            var call = host.Client.PostAsync($"/Controlled/Hold?checkpoint={checkpoint.Folder}", null, Cancel);
            await checkpoint.ReachedAsync();
            var stopping = host.StopAsync();

            // At once, and 5 s later.
            Assert.True(await ProcFiles.EventuallyAsync(() => host.Log.Lines.Count(static line => line.Event == 4215) >= 2, TimeSpan.FromSeconds(60)));
            checkpoint.Open();
            await stopping;
            using var response = await call;
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
        finally
        {
            await host.DisposeAsync();
        }

        var lines = host.Log.Lines.Where(static line => line.Event == 4215).ToArray();
        Assert.All(lines.Take(2), static line => Assert.Contains("waits for 1 call of pool controlled; ", line.Text, StringComparison.Ordinal));
    }

    [Fact]
    public void Every_sentence_that_points_at_the_log_is_tried_here()
    {
        string[] projects = ["Weir.AspNetCore", "Weir.Execution"];
        var found = projects
            .SelectMany(static project => Directory.EnumerateFiles(Path.Combine(RepositoryRoot.Path, "src", project), "*.cs", SearchOption.AllDirectories))
            .Where(static file => !file.Contains("/obj/", StringComparison.Ordinal))
            .SelectMany(File.ReadLines)
            .Where(static line => !line.TrimStart().StartsWith("//", StringComparison.Ordinal))
            .SelectMany(static line => PointsAtLog().Matches(line).Select(static match => match.Value))
            .Order(StringComparer.Ordinal);
        Assert.Equal(["Its output is in the log", "The log says", "server's log has it under this traceId", "server's log has the reason under this traceId"], found);
    }

    // What the worker printed, which the record of its pool has.
    private static string? Printed(string pools, string call) => call == "Controlled/Crash" ? "as asked" : pools == "dies" ? "no source of truth" : null;

    private static IEnumerable<RecordedLog.Line> RecordsOf(WeirHost host, JsonElement problem)
    {
        var trace = problem.GetProperty("traceId").GetString()!;
        return host.Log.Lines.Where(line => line.Category == "Weir.AspNetCore" && line.Activity == trace);
    }

    private static Task<WeirHost> StartAsync(string pools) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = options =>
        {
            TestPools.StartOnDemand(options, static pool => (pool.MaxWorkers, pool.QueueLimit, pool.RestartBudget) = (1, 1, 1));
            var (own, foreign) = (options.Pool("controlled"), options.Pool("foreign"));
            switch (pools)
            {
                case "cold":
                    own.EnvironmentVariables["WEIR_TEST_COLD"] = "no model here";
                    break;
                case "slow":
                    own.StartTimeout = TimeSpan.FromMilliseconds(5);
                    break;
                case "dies":
                    foreign.Command = ["/bin/sh", "-c", "echo no source of truth >&2; exit 3"];
                    break;
                case "missing":
                    foreign.Command = ["no-such-language", "program"];
                    break;
                case "other":
                    foreign.Command = [.. Interpreters.Python.Take(1), "-c", $"import sys\nsys.path.insert(0, '{RepositoryRoot.Path}/workers/python')\n{Other}"];
                    break;
                case "violates":
                    foreign.Command = [.. Interpreters.Python.Take(1), "-c", $"program = '{Interpreters.PythonProgram}'\n{Violating}"];
                    break;
            }
        },
    });

    [GeneratedRegex("(\\d+) passed their deadline")]
    private static partial Regex LateCalls();

    [GeneratedRegex("(?<=[\"$][^\"]*)(server's log has [a-z ]+under this traceId|Its output is in the log|The log says)")]
    private static partial Regex PointsAtLog();
}
