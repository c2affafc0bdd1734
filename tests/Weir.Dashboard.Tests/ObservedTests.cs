using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Weir.Cli;
using Weir.Cli.Terminal;
using static Weir.Dashboard.Tests.Observer;

namespace Weir.Dashboard.Tests;

/// <summary>What an operator sees, by HTTP and by the tool.</summary>
public sealed class ObservedTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_crash_loop_is_a_finding_with_pool_cause_and_operation_and_its_report_is_found_by_the_id_of_a_502()
    {
        await using var application = await DashboardApplication.StartAsync();
        string? id = null;
        for (var crash = 0; crash < 3; crash++)
        {
            using var response = await application.Client.PostAsync(new Uri($"/Faulty/Crash?last=it%20was%20me%20{crash}", UriKind.Relative), null, Ct);
            var problem = await response.Content.ReadAsStringAsync(Ct);
            Assert.True(response.StatusCode == HttpStatusCode.BadGateway && problem.Contains("\"report\"", StringComparison.Ordinal), problem);
            id = JsonElement.Parse(problem).GetProperty("report").GetString();
        }

        // With the answer of the third failure, not after a while.
        var finding = (await application.SnapshotAsync()).GetProperty("findings").EnumerateArray().First(static one => one.GetProperty("severity").GetString() == "failing");
        Assert.Equal("crashing", finding.GetProperty("pool").GetString());
        Assert.Contains("exit code 7", finding.GetProperty("sentence").GetString(), StringComparison.Ordinal);
        Assert.Contains("Faulty/Crash", finding.GetProperty("sentence").GetString(), StringComparison.Ordinal);
        Assert.NotEmpty(finding.GetProperty("toDo").GetString()!);

        // As a person finds it, from the screen alone.
        var (code, shown, error) = await Tool.RunAsync("ps", application.Address.ToString(), "--check");
        Assert.Equal(3, code);
        Assert.Contains("✗", shown, StringComparison.Ordinal);
        Assert.Contains(finding.GetProperty("sentence").GetString()!, error, StringComparison.Ordinal);
        Assert.Contains(id!, shown, StringComparison.Ordinal);
        var (found, report, _) = await Tool.RunAsync("report", application.Address.ToString(), id!);
        Assert.Equal(0, found);
        Assert.Contains("about to crash: it was me 2", report, StringComparison.Ordinal);
        Assert.Contains("Faulty/Crash", report, StringComparison.Ordinal);
        var (_, list, _) = await Tool.RunAsync("report", application.Address.ToString());
        Assert.Equal(3, list.Split('\n').Count(static line => line.Contains("Faulty/Crash", StringComparison.Ordinal)));
        using var output = await application.SendAsync(HttpMethod.Get, $"/weir/reports/{id}/output");
        Assert.Equal("text/plain", output.Content.Headers.ContentType!.MediaType);
        Assert.Contains("about to crash", await output.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
        using var compressed = await application.SendAsync(HttpMethod.Get, $"/weir/reports/{id}", ("Accept-Encoding", "gzip"));
        Assert.Equal("gzip", Assert.Single(compressed.Content.Headers.ContentEncoding));
        using var plain = await application.SendAsync(HttpMethod.Get, $"/weir/reports/{id}");
        Assert.Equal(id, JsonElement.Parse(await plain.Content.ReadAsStringAsync(Ct)).GetProperty("id").GetString());
    }

    [Fact]
    public async Task A_call_that_runs_is_shown_with_how_long_and_where()
    {
        await using var application = await DashboardApplication.StartAsync();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var call = application.Client.PostAsync(new Uri("/Faulty/Block?milliseconds=4000", UriKind.Relative), null, stop.Token);
        var running = await FindAsync(async () => (await application.SnapshotAsync()).GetProperty("calls").GetProperty("list").EnumerateArray().FirstOrDefault(static one => (one.GetProperty("op").GetString(), one.GetProperty("phase").GetString()) == ("Faulty/Block", "run")));
        Assert.True(running.GetProperty("for").GetDouble() > 0);
        var (_, shown, _) = await Tool.RunAsync("ps", application.Address.ToString());
        Assert.Contains("Faulty/Block", shown, StringComparison.Ordinal);
        Assert.Contains("lane", shown, StringComparison.Ordinal);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
    }

    [Fact]
    public async Task Operations_pools_calls_and_the_host_are_shown_one_by_one()
    {
        await using var application = await DashboardApplication.StartAsync();
        using (await application.Client.PostAsync(new Uri("/Faulty/Crash?last=here", UriKind.Relative), null, Ct))
        {
        }

        using (await application.Client.PostAsync(new Uri("/Faulty/Block?milliseconds=20", UriKind.Relative), null, Ct))
        {
        }

        var crash = await FindAsync(async () => await application.ReadAsync("operation?of=faulty/crash") is var one && one.GetProperty("lastFailed").GetArrayLength() > 0 ? one : default);
        Assert.Equal(("Faulty/Crash", "pool", "crashing", 1), (crash.GetProperty("op").GetString(), crash.GetProperty("where").GetString(), crash.GetProperty("pool").GetString(), crash.GetProperty("statuses").GetProperty("WorkerLost").GetInt32()));
        var failed = crash.GetProperty("lastFailed")[0];
        Assert.Equal("WorkerLostException", failed.GetProperty("error").GetString());
        using (var report = await application.SendAsync(HttpMethod.Get, $"/weir/reports/{failed.GetProperty("report").GetString()}"))
        {
            Assert.Equal(HttpStatusCode.OK, report.StatusCode);
        }

        // It is counted with the next tick of the recorder.
        var block = await FindAsync(async () => await application.ReadAsync("operation?of=Faulty/Block") is var one && one.GetProperty("five").GetProperty("calls").GetInt32() > 0 ? one : default);
        Assert.InRange(block.GetProperty("slowest")[0].GetProperty("phases").GetProperty("run").GetDouble(), 0.019, 60);
        Assert.Equal(1, block.GetProperty("five").GetProperty("calls").GetInt32());
        var operations = (await application.ReadAsync("operations")).GetProperty("operations").EnumerateArray().ToDictionary(static one => one.GetProperty("op").GetString()!, static one => one.GetProperty("calls").GetInt32());
        Assert.Equal((1, 1), (operations["Faulty/Crash"], operations["Faulty/Block"]));
        Assert.Contains(0, operations.Values);

        var pool = await application.ReadAsync("pool?of=Crashing");
        Assert.Equal("crashing", pool.GetProperty("name").GetString());
        Assert.Equal(["started", "ready", "ended"], pool.GetProperty("events").EnumerateArray().Take(3).Select(static one => one.GetProperty("event").GetString()));
        Assert.Equal("5", pool.GetProperty("options").GetProperty("RestartBudget").GetString());
        Assert.Equal("(lane)", (await application.ReadAsync("pool?of=(lane)")).GetProperty("name").GetString());
        Assert.Equal(0, (await application.ReadAsync("calls")).GetProperty("running").GetInt32());
        var host = await application.ReadAsync("host");
        Assert.InRange(host.GetProperty("memory").GetInt64(), 1 << 20, long.MaxValue);
        if (OperatingSystem.IsLinux())
        {
            // The application itself listens.
            Assert.InRange(host.GetProperty("sockets").GetProperty("open").GetInt64(), 1, long.MaxValue);
        }
        foreach (var unknown in (string[])["operation?of=No/Such", "pool?of=none"])
        {
            using var refused = await application.SendAsync(HttpMethod.Get, $"/weir/{unknown}");
            Assert.Equal(HttpStatusCode.NotFound, refused.StatusCode);
        }
    }

    [Fact]
    public async Task Events_of_workers_and_ticks_are_streamed_and_continue_where_a_viewer_was()
    {
        await using var application = await DashboardApplication.StartAsync();
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/events");
        Assert.Equal("text/event-stream", response.Content.Headers.ContentType!.MediaType);
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(Ct));
        Assert.Equal("hello", (await NextAsync(reader)).Kind);
        Assert.Equal("tick", (await NextAsync(reader)).Kind);
        using (await application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct))
        {
        }

        var first = await NextAsync(reader, "event");
        Assert.Equal(("crashing", "started"), (first.Data.GetProperty("pool").GetString(), first.Data.GetProperty("event").GetString()));
        var ready = await NextAsync(reader, "event");
        Assert.Equal("ready", ready.Data.GetProperty("event").GetString());
        using var again = await application.SendAsync(HttpMethod.Get, $"/weir/events?after={first.Id}");
        using var other = new StreamReader(await again.Content.ReadAsStreamAsync(Ct));
        Assert.Equal(ready.Id, (await NextAsync(other, "event")).Id);
    }

    [Fact]
    public async Task The_tool_prints_what_happens_to_workers_and_what_becomes_wrong()
    {
        await using var application = await DashboardApplication.StartAsync();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        using var lines = new StringWriter();
        var output = TextWriter.Synchronized(lines);
        var console = new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = output, Error = TextWriter.Null };
        var running = WeirCommandLine.RunAsync(["events", application.Address.ToString()], console, stop.Token);

        // The tool prints what happens from its connection on.
        var crash = 0;
        foreach (var said in new[] { "started", "ready", "ended", ", report crashing-", "✗ Faulty/Crash" })
        {
            await UntilAsync(
                async () =>
                {
                    using var response = await application.Client.PostAsync(new Uri($"/Faulty/Crash?last={crash++}", UriKind.Relative), null, Ct);

                    // It locks itself.
                    lock (output)
                    {
                        return lines.ToString();
                    }
                },
                text => text.Contains(said, StringComparison.Ordinal));
        }

        await stop.CancelAsync();
        Assert.Equal(130, await running);
    }

    [Fact]
    public async Task A_viewer_does_not_hold_an_application_that_stops()
    {
        var application = await DashboardApplication.StartAsync();
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/events");
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(Ct));
        Assert.Equal("hello", (await NextAsync(reader)).Kind);
        var stopping = application.StopAsync();
        Assert.Equal("end", (await NextAsync(reader, "end")).Kind);
        await stopping;
        await application.DisposeAsync();
    }

    [Fact]
    public async Task More_viewers_than_may_be_are_asked_to_come_later_and_one_that_leaves_makes_room()
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Development, static app => app.MapWeirDashboard(configure: static options => options.Viewers = 1));
        using (await application.SendAsync(HttpMethod.Get, "/weir/events"))
        {
            using var refused = await application.SendAsync(HttpMethod.Get, "/weir/events");
            Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
            Assert.Equal(TimeSpan.FromSeconds(10), refused.Headers.RetryAfter!.Delta);
        }

        await UntilAsync(
            async () =>
            {
                using var response = await application.SendAsync(HttpMethod.Get, "/weir/events");
                return response.StatusCode;
            },
            static status => status == HttpStatusCode.OK);
    }

    [Fact]
    public async Task The_history_of_a_pool_and_of_an_operation_is_kept()
    {
        await using var application = await DashboardApplication.StartAsync();
        using (await application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct))
        {
        }

        foreach (var (of, name) in new[] { ("pool/crashing", "succeeded"), ("operation/Faulty/Answer", "calls") })
        {
            var sum = await UntilAsync(() => SumAsync(application, of, name), static sum => sum > 0);
            Assert.Equal(1, sum);
        }
    }

    [Fact]
    public async Task The_tool_says_what_to_do_where_there_is_no_dashboard_or_no_way_in()
    {
        await using (var without = await DashboardApplication.StartAsync(Environments.Production, static _ => { }))
        {
            var (code, _, error) = await Tool.RunAsync("ps", without.Address.ToString());
            Assert.Equal(1, code);
            Assert.Contains("the application must call app.MapWeirDashboard()", error, StringComparison.Ordinal);
        }

        await using var guarded = await DashboardApplication.StartAsync(Environments.Production, static app => app.MapWeirDashboard("/ops").RequireAuthorization("operators"));
        var (refused, _, why) = await Tool.RunAsync("ps", $"{guarded.Address}ops");
        Assert.Equal(1, refused);
        Assert.Contains("--header must bring what the dashboard's policy asks for.", why, StringComparison.Ordinal);
        var (allowed, shown, _) = await Tool.RunAsync("ps", $"{guarded.Address}ops/", "--header", $"{DashboardApplication.User}: operator");
        Assert.Equal(0, allowed);
        Assert.Contains("Nothing is wrong since", shown, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_tool_shows_it_as_often_as_it_is_asked_to()
    {
        await using var application = await DashboardApplication.StartAsync();
        var (code, shown, _) = await Tool.RunAsync("top", application.Address.ToString(), "--count", "3", "--interval", "10ms");
        Assert.Equal(0, code);
        Assert.Equal(3, shown.Split('\n').Count(static line => line.StartsWith("Nothing is wrong since", StringComparison.Ordinal)));
        var (_, json, _) = await Tool.RunAsync("ps", application.Address.ToString(), "--json");
        Assert.Equal(1, JsonElement.Parse(json).GetProperty("schema").GetInt32());
    }

    [Fact]
    public async Task Keys_change_what_the_tool_shows_on_a_terminal()
    {
        await using var application = await DashboardApplication.StartAsync();
        using var text = new StringWriter();
        var keys = new Queue<char>("4ss?q");
        var console = new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = text, Error = TextWriter.Null, IsOutputTerminal = true, ReadKey = () => keys.TryDequeue(out var key) ? key : null };
        Assert.Equal(0, await WeirCommandLine.RunAsync(["top", application.Address.ToString()], console, Ct));
        Assert.Empty(keys);
        Assert.Contains("operations, by p95. ? lists the keys.", text.ToString(), StringComparison.Ordinal);
        Assert.Contains("2 pools", text.ToString(), StringComparison.Ordinal);
    }

    // Of one number, over the last two minutes; 0 where nothing is kept yet.
    private static async Task<double> SumAsync(DashboardApplication application, string of, string name)
    {
        using var response = await application.SendAsync(HttpMethod.Get, $"/weir/history?of={of}&span=2m");
        if (response.StatusCode != HttpStatusCode.OK)
        {
            return 0;
        }

        var history = JsonElement.Parse(await response.Content.ReadAsStringAsync(Ct));
        var column = history.GetProperty("names").EnumerateArray().Select(static one => one.GetString()).ToList().IndexOf(name) + 1;
        return history.GetProperty("points").EnumerateArray().Sum(point => point[column].GetDouble());
    }
}
