using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Weir.Dashboard.Tests;

/// <summary>What operators do, and who may.</summary>
public sealed class ActionTests
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Without_a_policy_for_actions_there_are_none()
    {
        await using var application = await DashboardApplication.StartAsync();
        Assert.DoesNotContain(application.Routes(), static route => route.Contains("actions", StringComparison.Ordinal));
        Assert.Equal(HttpStatusCode.NotFound, (await ActAsync(application, "pause", """{"pool":"crashing"}""")).Status);
    }

    [Fact]
    public async Task An_application_that_names_a_policy_for_actions_and_has_none_does_not_start()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => DashboardApplication.StartAsync(Environments.Development, static app => app.MapWeirDashboard(configure: static options => options.ActionPolicy = "operaters")));
        Assert.Contains("ActionPolicy of MapWeirDashboard is 'operaters'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Only_those_whom_the_policy_for_actions_admits_act()
    {
        await using var application = await StartAsync();
        const string Pool = """{"pool":"crashing"}""";
        Assert.Equal(HttpStatusCode.Unauthorized, (await ActAsync(application, "pause", Pool, user: null)).Status);
        Assert.Equal(HttpStatusCode.Forbidden, (await ActAsync(application, "pause", Pool, user: "anyone")).Status);
        Assert.Equal(HttpStatusCode.Forbidden, (await ActAsync(application, "pause", Pool, headers: ("Sec-Fetch-Site", "cross-site"))).Status);

        // Development, without a policy for the dashboard: from this machine alone.
        Assert.Equal(HttpStatusCode.Forbidden, (await ActAsync(application, "pause", Pool, headers: ("X-Forwarded-For", "192.0.2.1"))).Status);
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(application, "pause", Pool)).Status);
    }

    [Fact]
    public async Task What_is_no_action_is_refused()
    {
        await using var application = await StartAsync();
        Assert.Equal(HttpStatusCode.NotFound, (await ActAsync(application, "explode", """{"pool":"crashing"}""")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await ActAsync(application, "pause", "[]")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await ActAsync(application, "kill", """{"pool":"crashing","pid":"many"}""")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await ActAsync(application, "kill", """{"pool":"crashing"}""")).Status);
        Assert.Equal(HttpStatusCode.Conflict, (await ActAsync(application, "pause", """{"pool":"none"}""")).Status);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, (await ActAsync(application, "pause", $$"""{"pool":"{{new string('x', 17_000)}}"}""")).Status);
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, (await ActAsync(application, "pause", "pool=crashing", type: "application/x-www-form-urlencoded")).Status);
    }

    [Fact]
    public async Task A_pool_is_paused_and_resumed_once_and_its_calls_wait()
    {
        await using var application = await StartAsync();
        const string Pool = """{"pool":"crashing"}""";
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(application, "pause", Pool)).Status);
        var (status, text) = await ActAsync(application, "pause", Pool);
        Assert.Equal((HttpStatusCode.Conflict, "crashing is paused already."), (status, text));
        var call = application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct);
        var began = TimeProvider.System.GetTimestamp();
        while ((await application.SnapshotAsync()).GetProperty("calls").GetProperty("list") is var list && (list.GetArrayLength() == 0 || list[0].GetProperty("phase").GetString() != "queue"))
        {
            Assert.True(TimeProvider.System.GetElapsedTime(began) < Longest, "The call never waited.");
            await Task.Delay(10, Ct);
        }

        Assert.False(call.IsCompleted);
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(application, "resume", Pool)).Status);
        using var answer = await call.WaitAsync(Longest, Ct);
        Assert.Equal("42", await answer.Content.ReadAsStringAsync(Ct));
        Assert.Equal(HttpStatusCode.Conflict, (await ActAsync(application, "resume", Pool)).Status);
    }

    [Fact]
    public async Task A_worker_is_killed_while_it_is_the_one_that_was_seen_and_the_log_and_its_report_name_who_did_it()
    {
        await using var application = await StartAsync();
        using (await application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct))
        {
        }

        var worker = application.Pool("crashing").Snapshot().Workers.Single();
        Assert.Equal(HttpStatusCode.Conflict, (await ActAsync(application, "kill", $$"""{"pool":"crashing","pid":{{worker.ProcessId}},"serial":{{worker.Serial + 1}}}""")).Status);
        Assert.Contains(application.Pool("crashing").Snapshot().Workers, one => one.ProcessId == worker.ProcessId);
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(application, "kill", $$"""{"pool":"crashing","pid":{{worker.ProcessId}},"serial":{{worker.Serial}}}""")).Status);
        var reports = JsonElement.Parse(await application.Client.GetStringAsync(new Uri("/weir/reports", UriKind.Relative), Ct)).GetProperty("reports");
        Assert.Equal("killed on request of operator", reports[0].GetProperty("cause").GetString());
        Assert.Equal(2, application.Log.Audit.Count(line => line.Contains($"operator at 127.0.0.1 asks to kill worker {worker.ProcessId} of pool crashing", StringComparison.Ordinal)));
        Assert.Contains(application.Log.Audit, line => line.Contains($"is killed.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_call_is_cancelled_while_it_runs_and_the_worker_of_one_that_ignores_it_is_killed_after_its_grace()
    {
        await using var application = await StartAsync();
        var call = await Observer.HangAsync(application);
        var id = await RunningAsync(application, "Faulty/Hang");
        Assert.Equal(HttpStatusCode.Forbidden, (await ActAsync(application, "cancel", $$"""{"call":"{{id}}"}""", user: "anyone")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await ActAsync(application, "cancel", """{"pool":"crashing"}""")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await ActAsync(application, "pause", $$"""{"call":"{{id}}"}""")).Status);
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(application, "cancel", $$"""{"call":"{{id}}"}""")).Status);
        await Assert.ThrowsAsync<HttpRequestException>(() => call.WaitAsync(Longest, Ct));
        Assert.Contains(application.Log.Audit, line => line.Contains($"operator at 127.0.0.1 asks to cancel call {id}", StringComparison.Ordinal));
        Assert.Equal(HttpStatusCode.Conflict, (await ActAsync(application, "cancel", $$"""{"call":"{{id}}"}""")).Status);
        var reports = await Observer.UntilAsync(async () => (await application.ReadAsync("reports")).GetProperty("reports"), static reports => reports.GetArrayLength() > 0);
        Assert.Contains("its call was cancelled and did not end within the grace", reports[0].GetProperty("cause").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_from_code_is_cancelled_by_the_tool()
    {
        await using var application = await StartAsync();
        var call = application.Get<IFaultyClient>().Stay(60_000, Ct);
        var id = await RunningAsync(application, "Faulty/Stay");
        var (code, output, _) = await Tool.RunAsync(["cancel", application.Address.ToString(), $"#{id}", "--header", $"{DashboardApplication.User}: operator"]);
        Assert.Equal((0, $"Call #{id} is cancelled. Code that ignores it in a worker is killed after CancelGrace."), (code, output.Trim()));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call.AsTask().WaitAsync(Longest, Ct));
    }

    [Fact]
    public async Task A_viewer_is_told_whether_it_may_act_and_where_jobs_and_traces_are_found()
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Development, static app =>
        {
            app.MapGroup("/inner").MapWeirDashboard(configure: static options => (options.ActionPolicy, options.TraceUrl) = ("operators", "https://traces.example/{traceId}"));
            app.MapGroup("/inner").MapWeirJobsAdmin("/work").RequireAuthorization("operators");
        }, static services => services.AddWeirJobs(static jobs => jobs.UseMemory()));
        foreach (var (user, mayAct) in new[] { ("operator", true), ("anyone", false) })
        {
            using var response = await application.SendAsync(HttpMethod.Get, "/inner/weir/hello", (DashboardApplication.User, user));
            var hello = JsonElement.Parse(await response.Content.ReadAsStringAsync(Ct));
            Assert.Equal((mayAct, "../work", "https://traces.example/{traceId}"), (hello.GetProperty("mayAct").GetBoolean(), hello.GetProperty("jobs").GetString(), hello.GetProperty("traceUrl").GetString()));
            Assert.Equal(Environment.MachineName, hello.GetProperty("instance").GetString());
        }
    }

    [Theory]
    [InlineData("https://traces.example/")]
    [InlineData("/traces/{traceId}")]
    [InlineData("javascript:{traceId}")]
    public async Task An_address_of_traces_that_leads_nowhere_is_refused_at_the_start(string address)
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => DashboardApplication.StartAsync(Environments.Development, app => app.MapWeirDashboard(configure: options => options.TraceUrl = address)));
        Assert.Contains($"TraceUrl of MapWeirDashboard is '{address}'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Callers_are_named_only_where_that_is_asked_for(bool isAskedFor)
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Development, app => app.MapWeirDashboard(configure: options => options.ShowCallers = isAskedFor));
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri("/Faulty/Stay?milliseconds=60000", UriKind.Relative));
        request.Headers.Add(DashboardApplication.User, "alice");
        var call = application.Client.SendAsync(request, stop.Token);
        await RunningAsync(application, "Faulty/Stay");
        var shown = (await application.ReadAsync("calls")).GetProperty("list")[0];
        Assert.Equal(isAskedFor, shown.TryGetProperty("caller", out var caller));
        Assert.Equal(isAskedFor ? "alice at 127.0.0.1" : null, isAskedFor ? caller.GetString() : null);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
    }

    [Fact]
    public async Task The_tool_acts_and_says_what_was_done_or_why_not()
    {
        await using var application = await StartAsync();
        string[] header = ["--header", $"{DashboardApplication.User}: operator"];
        Assert.Equal((0, "crashing is paused: calls wait."), Ended(await Tool.RunAsync(["pause", application.Address.ToString(), "crashing", .. header])));
        var (code, _, error) = await Tool.RunAsync(["pause", application.Address.ToString(), "crashing", .. header]);
        Assert.Equal(1, code);
        Assert.Contains("crashing is paused already.", error, StringComparison.Ordinal);
        Assert.Equal((0, "crashing is resumed."), Ended(await Tool.RunAsync(["resume", application.Address.ToString(), "crashing", .. header])));
        using (await application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct))
        {
        }

        var worker = application.Pool("crashing").Snapshot().Workers.Single();
        var (replaced, text) = Ended(await Tool.RunAsync(["replace", application.Address.ToString(), "crashing", $"{worker.ProcessId}", "--serial", $"{worker.Serial}", .. header]));
        Assert.Equal((0, $"Worker {worker.ProcessId} of crashing is replaced when its calls have ended."), (replaced, text));
        Assert.Equal((0, "crashing replaces its workers."), Ended(await Tool.RunAsync(["reload", application.Address.ToString(), "crashing", .. header])));
        Assert.Equal(0, (await Tool.RunAsync(["drain", application.Address.ToString(), "crashing", .. header])).Code);
        Assert.True(application.Pool("crashing").Snapshot().IsDraining);

        static (int Code, string Text) Ended((int Code, string Output, string Error) run) => (run.Code, run.Output.Trim());
    }

    // The id of a call once it is with a worker.
    private static async Task<string> RunningAsync(DashboardApplication application, string operation) =>
        (await Observer.FindAsync(async () => (await application.ReadAsync("calls")).GetProperty("list").EnumerateArray().FirstOrDefault(call => call.GetProperty("op").GetString() == operation && call.TryGetProperty("pid", out _))))
            .GetProperty("id").GetString()!;

    private static Task<DashboardApplication> StartAsync() => DashboardApplication.StartAsync(Environments.Development, static app => app.MapWeirDashboard(configure: static options => options.ActionPolicy = "operators"));

    private static async Task<(HttpStatusCode Status, string Text)> ActAsync(
        DashboardApplication application, string verb, string body, string? user = "operator", string type = "application/json", params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri($"/weir/actions/{verb}", UriKind.Relative)) { Content = new StringContent(body, Encoding.UTF8, type) };
        if (user is not null)
        {
            request.Headers.Add(DashboardApplication.User, user);
        }

        foreach (var (name, value) in headers)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        using var response = await application.Client.SendAsync(request, Ct);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Ct));
    }
}
