using Weir.Client.Tests.Services;
using static Weir.Client.Tests.JobAnswers;

namespace Weir.Client.Tests;

/// <summary>What the handle of a job on a server does: it asks, waits, reads results and items, and cancels.</summary>
public sealed class JobHandleTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task All_members_of_a_job_are_read()
    {
        await using var server = new ScriptedServer(Found("failed", "\"lost\"", Problem(502, "WEIR2040", "it is gone"), items: 41));
        var job = await Build(server).GetAsync(Cancel);
        Assert.Equal(
            new JobInfo
            {
                Id = Id,
                Kind = "Reports/Build",
                State = JobState.Failed,
                Reason = JobReason.Lost,
                Stopping = JobStop.Cancel,
                Attempt = 2,
                Attempts = 5,
                Submitted = DateTimeOffset.UnixEpoch.AddSeconds(1793520000),
                Due = DateTimeOffset.UnixEpoch.AddSeconds(1793520001),
                Started = DateTimeOffset.UnixEpoch.AddSeconds(1793520002),
                Expires = DateTimeOffset.UnixEpoch.AddSeconds(1796112000),
                Progress = new JobProgress(0.4, "page 4 of 10"),
                Items = 41,
                Key = "acme",
                Priority = JobPriority.High,
                Parent = Guid.Parse("01930000-0000-7000-8000-000000000002"),
                Error = "it is gone",
            },
            job);
    }

    [Fact]
    public async Task A_state_that_the_client_does_not_know_is_an_exception()
    {
        await using var server = new ScriptedServer(Found("parked"));
        var error = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Build(server).GetAsync(Cancel));
        Assert.Contains("'parked'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("[]")]
    [InlineData("{")]
    [InlineData("")]
    [InlineData("{\"id\":\"x\",\"kind\":\"k\",\"state\":\"ready\"}")]
    [InlineData("{\"id\":\"01930000-0000-7000-8000-000000000001\",\"kind\":\"k\",\"state\":\"ready\",\"due\":\"soon\"}")]
    [InlineData("{\"id\":\"01930000-0000-7000-8000-000000000001\",\"kind\":\"\\ud800\",\"state\":\"ready\"}")]
    public async Task What_is_no_job_is_an_unexpected_response(string body)
    {
        await using var server = new ScriptedServer(Result("application/json", body));
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Build(server).GetAsync(Cancel));
    }

    [Fact]
    public async Task A_job_that_is_not_there_is_null_and_cannot_be_waited_for()
    {
        await using var server = new ScriptedServer(Refused(404, "WEIR2045", "no such job"));
        var job = Build(server);
        Assert.Null(await job.GetAsync(Cancel));
        Assert.Null(await job.CancelAsync(Cancel));
        Assert.Null((await Assert.ThrowsAsync<JobException>(() => job.WaitAsync(Cancel))).State);
        Assert.Null((await Assert.ThrowsAsync<JobException>(() => job.ResultAsync(Cancel))).State);
        Assert.Null((await Assert.ThrowsAsync<JobException>(async () => await Pages(server).ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel))).State);
    }

    [Fact]
    public async Task A_server_without_jobs_at_the_path_is_not_taken_for_a_job_that_is_not_there()
    {
        await using var server = new ScriptedServer(HostileServer.Response("404 Not Found", "text/html", "<html>"));
        foreach (var ask in new Func<Task>[] { () => Build(server).GetAsync(Cancel).AsTask(), () => Build(server).WaitAsync(Cancel), () => Pages(server).ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel).AsTask() })
        {
            Assert.Contains("WeirClientOptions.JobsPath", (await Assert.ThrowsAsync<UnexpectedResponseException>(ask)).Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("$jobs", "/api/$jobs/")]
    [InlineData("/$jobs", "/$jobs/")]
    [InlineData("/shop/jobs/", "/shop/jobs/")]
    public async Task A_job_of_an_id_is_at_the_path_of_the_options(string path, string expected)
    {
        await using var server = new ScriptedServer(Found("running"));
        var jobs = WeirClient.CreateJobs<IReports>(server.Http, new WeirClientOptions { JobsPath = path });
        await jobs.Get(Id, r => r.Charge("", 0)).CancelAsync(Cancel);
        Assert.Equal([$"POST {expected}{Id}/cancel"], server.Lines);
    }

    [Fact]
    public async Task A_wait_asks_again_until_the_job_has_ended()
    {
        await using var server = new ScriptedServer(Found("ready"), null, Refused(503, "WEIR2043"), HostileServer.Response("502 Bad", "text/html", "<html>"), Refused(500, "WEIR2006"), Found("succeeded"));
        Assert.Equal(JobState.Succeeded, (await Build(server).WaitAsync(Cancel)).State);
        Assert.Equal(Enumerable.Repeat($"GET /api/$jobs/{Id}", 6), server.Lines);

        // The HttpClient gives a response 30 seconds to begin.
        Assert.Equal(Enumerable.Repeat("wait=25", 6), server.Header("Prefer"));
    }

    [Fact]
    public async Task A_wait_ends_with_its_token()
    {
        await using var server = new ScriptedServer(Refused(503, "WEIR2043"));
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var wait = Build(server).WaitAsync(ending.Token);
        while (server.Requests.Length == 0)
        {
            await Task.Yield();
        }

        await ending.CancelAsync();
        Assert.Equal(ending.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait)).CancellationToken);
    }

    [Fact]
    public async Task The_deadline_of_calls_does_not_end_a_wait()
    {
        await using var server = new ScriptedServer(Found("running"), Found("succeeded"), Result("application/json", """{"tenant":"a","year":1}"""));
        var jobs = WeirClient.CreateJobs<IReports>(server.Http, new WeirClientOptions { Deadline = TimeSpan.FromMilliseconds(1) });
        Assert.Equal(new Report("a", 1), await jobs.Get(Id, r => r.Build("", 0)).ResultAsync(Cancel));
        Assert.Equal(["", "", ""], server.Header("Weir-Deadline-Ms"));
    }

    [Fact]
    public async Task A_result_is_read_as_that_of_the_call()
    {
        await using var server = new ScriptedServer(Found("succeeded"), null, Result("application/json", """{"tenant":"acme","year":2026}"""));
        Assert.Equal(new Report("acme", 2026), await Build(server).ResultAsync(Cancel));
        Assert.Equal($"GET /api/$jobs/{Id}/result", server.Lines[2]);
        Assert.DoesNotContain("signature", server.Header("Accept")[2], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Bytes_are_read_as_they_are()
    {
        await using var server = new ScriptedServer(Found("succeeded"), Result("application/octet-stream", "abc"));
        Assert.Equal("abc"u8.ToArray(), await Jobs(server).Get(Id, r => r.Render("", 0)).ResultAsync(Cancel));
        Assert.Equal("application/octet-stream", server.Header("Accept")[1]);
        await using var other = new ScriptedServer(Found("succeeded"), Result("application/octet-stream", "abc"));
        Assert.Equal("abc"u8.ToArray(), (await Jobs(other).Get(Id, r => r.Copy(default)).ResultAsync(Cancel)).ToArray());
    }

    [Fact]
    public async Task A_result_that_may_be_null_is_null_where_there_is_no_content()
    {
        await using var server = new ScriptedServer(Found("succeeded"), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"u8.ToArray());
        Assert.Null(await Jobs(server).Get(Id, r => r.Find("")).ResultAsync(Cancel));
    }

    [Fact]
    public async Task A_result_that_is_too_large_or_no_result_is_the_exception_of_a_call()
    {
        await using var server = new ScriptedServer(Found("succeeded"), Result("application/json", "[]"));
        await Assert.ThrowsAsync<UnexpectedResponseException>(() => Build(server).ResultAsync(Cancel));
        Assert.Equal(2, server.Requests.Length);
    }

    [Fact]
    public async Task A_failed_job_throws_what_a_caller_would_catch()
    {
        await using var server = new ScriptedServer(Found("failed", "\"exception\"", Problem(410, "WEIR2006", "it is gone", $",\"thrown\":\"{typeof(GoneException).FullName}\"")));
        Assert.Equal("it is gone", (await Assert.ThrowsAsync<GoneException>(() => Jobs(server).Get(Id, r => r.Fail("", "")).ResultAsync(Cancel))).Message);
        Assert.Single(server.Requests);
    }

    [Fact]
    public async Task A_job_that_took_too_long_throws_what_a_caller_would_catch()
    {
        await using var server = new ScriptedServer(Found("failed", "\"timeout\"", Problem(504, WeirCodes.DeadlineExceeded, "too late")));
        await Assert.ThrowsAsync<DeadlineExceededException>(() => Build(server).ResultAsync(Cancel));
    }

    [Theory]
    [InlineData("cancelled", "null", 409, JobState.Cancelled, JobReason.None)]
    [InlineData("expired", "null", 409, JobState.Expired, JobReason.None)]
    [InlineData("failed", "\"lost\"", 502, JobState.Failed, JobReason.Lost)]
    [InlineData("failed", "\"arguments\"", 500, JobState.Failed, JobReason.Arguments)]
    [InlineData("failed", "\"later\"", 500, JobState.Failed, JobReason.None)]
    public async Task A_job_without_an_answer_has_its_state_and_reason(string state, string reason, int status, JobState expected, JobReason expectedReason)
    {
        await using var server = new ScriptedServer(Found(state, reason, Problem(status, "WEIR2040", "it has none")));
        var error = await Assert.ThrowsAsync<JobException>(() => Build(server).ResultAsync(Cancel));
        Assert.Equal((Id, expected, expectedReason, "it has none", status), (error.Id, error.State, error.Reason, error.Message, error.Problem?.Status));
    }

    [Fact]
    public async Task Items_continue_behind_a_cut()
    {
        await using var server = new ScriptedServer(
            Items("0\n1\n", isCut: true), Refused(503, "WEIR2043", "", "Retry-After: 0\r\n"), Items("2\n", isCut: true), Items("3\n" + End(4)));
        Assert.Equal([0, 1, 2, 3], await Pages(server).ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel));
        Assert.Equal(["", $"{Id}.1", $"{Id}.1", $"{Id}.2"], server.Header("Last-Event-ID"));
        Assert.All(server.Lines, static line => Assert.Equal($"GET /api/$jobs/{Id}/items", line));
    }

    [Fact]
    public async Task Items_continue_when_the_store_of_the_server_did_not_answer_in_between()
    {
        await using var server = new ScriptedServer(
            Items("0\n1\n" + """{"$weir":{"problem":{"status":503,"code":"WEIR2043","detail":"no answer"}}}""" + "\n"), Items("2\n" + End(3)));
        Assert.Equal([0, 1, 2], await Pages(server).ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel));
        Assert.Equal(["", $"{Id}.1"], server.Header("Last-Event-ID"));
    }

    [Fact]
    public async Task Items_begin_although_the_first_request_is_lost()
    {
        await using var server = new ScriptedServer(null, Items("0\n" + End(1)));
        Assert.Equal([0], await Pages(server).ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel));
    }

    [Fact]
    public async Task Items_begin_at_an_index()
    {
        await using var server = new ScriptedServer(Items("3\n4\n" + End(5)));
        Assert.Equal([3, 4], await Pages(server).ItemsAsync(3, Cancel).ToListAsync(Cancel));
        Assert.Equal([$"{Id}.2"], server.Header("Last-Event-ID"));
        Assert.Throws<ArgumentOutOfRangeException>(() => Pages(server).ItemsAsync(-1, Cancel));
    }

    [Fact]
    public async Task Items_begin_at_an_index_of_a_job_that_was_begun_again_by_hand()
    {
        await using var server = new ScriptedServer(
            Refused(410, "WEIR2047", "dropped"), Items("0\n1\n2\n3\n" + End(4), $"{Id}-2"), Found("succeeded", items: 4), Items("2\n3\n" + End(4), $"{Id}-2"));
        Assert.Equal([2, 3], await Pages(server).ItemsAsync(2, Cancel).ToListAsync(Cancel));
        Assert.Equal([$"{Id}.1", "", "", $"{Id}-2.1"], server.Header("Last-Event-ID"));
    }

    [Fact]
    public async Task Items_begin_at_an_index_that_the_job_has_not_reached()
    {
        await using var server = new ScriptedServer(Refused(410, "WEIR2047", "not there"), Items("0\n"), Found("running", items: 1), Items("1\n2\n3\n" + End(4)));
        Assert.Equal([2, 3], await Pages(server).ItemsAsync(2, Cancel).ToListAsync(Cancel));
        Assert.Equal($"{Id}.0", server.Header("Last-Event-ID")[3]);
    }

    [Fact]
    public async Task Beyond_the_end_there_are_no_items()
    {
        await using var server = new ScriptedServer(Refused(410, "WEIR2047", "not there"), Items("0\n" + End(1)), Found("succeeded", items: 1), Items(End(1)));
        Assert.Empty(await Pages(server).ItemsAsync(7, Cancel).ToListAsync(Cancel));
    }

    [Fact]
    public async Task Items_that_are_dropped_while_they_are_read_are_an_exception_after_them()
    {
        await using var server = new ScriptedServer(Items("0\n1\n", isCut: true), Refused(410, "WEIR2047", "begun again"), Found("running"));
        var read = new List<int>();
        var error = await Assert.ThrowsAsync<JobException>(async () =>
        {
            await foreach (var page in Pages(server).ItemsAsync(cancellationToken: Cancel))
            {
                read.Add(page);
            }
        });
        Assert.Equal([0, 1], read);
        Assert.Equal((JobState.Running, "begun again"), (error.State, error.Message));
    }

    [Fact]
    public async Task A_job_that_has_no_answer_throws_after_its_items()
    {
        await using var server = new ScriptedServer(Items("0\n" + $$$"""{"$weir":{"problem":{{{Problem(409, "WEIR2040", "it was cancelled")}}}}}""" + "\n"), Found("cancelled"));
        var read = new List<int>();
        var error = await Assert.ThrowsAsync<JobException>(async () =>
        {
            await foreach (var page in Pages(server).ItemsAsync(cancellationToken: Cancel))
            {
                read.Add(page);
            }
        });
        Assert.Equal([0], read);
        Assert.Equal((JobState.Cancelled, "it was cancelled"), (error.State, error.Message));
    }

    [Fact]
    public async Task Blocks_of_bytes_keep_their_bounds()
    {
        await using var server = new ScriptedServer(Items("\"AQI=\"\n", isCut: true), Items("\"Aw==\"\n" + End(2)));
        var blocks = await Jobs(server).Get(Id, r => r.Blocks(0)).ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel);
        Assert.Equal([[1, 2], [3]], blocks.Select(static block => block.ToArray()));
    }

    private static string End(int count) => $$$"""{"$weir":{"ok":true,"count":{{{count}}}}}""" + "\n";

    private static IRemoteJobs<IReports> Jobs(ScriptedServer server) => WeirClient.CreateJobs<IReports>(server.Http);

    private static Job<Report> Build(ScriptedServer server) => Jobs(server).Get(Id, r => r.Build("", 0));

    private static JobStream<int> Pages(ScriptedServer server) => Jobs(server).Get(Id, r => r.Pages(0));
}
