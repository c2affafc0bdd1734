using System.Diagnostics.CodeAnalysis;
using Weir.Client.Tests.Services;
using static Weir.Client.Tests.JobAnswers;

namespace Weir.Client.Tests;

/// <summary>How a client submits jobs: what it sends, what it repeats, and what it refuses.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "What a recorded call returns never completes.")]
public sealed class JobSubmissionTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_submission_is_the_request_of_the_call_with_a_preference_and_a_key()
    {
        await using var server = new ScriptedServer(Accepted());
        var job = await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        Assert.Equal((Id, false), (job.Id, job.IsExisting));
        var request = Assert.Single(server.Requests);
        Assert.StartsWith("POST /api/Reports/Build HTTP/1.1", request, StringComparison.Ordinal);
        Assert.EndsWith("""{"tenant":"acme","year":2026}""", request, StringComparison.Ordinal);
        Assert.Contains("\r\nPrefer: respond-async\r\n", request, StringComparison.Ordinal);
        Assert.True(Guid.TryParseExact(Assert.Single(server.Header("Idempotency-Key")), "N", out _), request);
        Assert.Contains(";signature=", Assert.Single(server.Header("Accept")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_submission_without_a_key_has_one_of_its_own()
    {
        await using var server = new ScriptedServer(Accepted());
        var jobs = Jobs(server);
        await jobs.EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        await jobs.EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        Assert.Equal(2, server.Header("Idempotency-Key").Distinct().Count());
    }

    [Fact]
    public async Task A_job_that_an_earlier_submission_with_the_key_made_is_an_existing_one()
    {
        await using var server = new ScriptedServer(Accepted("Idempotent-Replayed: true\r\n"));
        var job = await Jobs(server).EnqueueAsync(r => r.Charge("acme", 9.99m), new JobOptions { IdempotencyKey = "close-acme" }, Cancel);
        Assert.True(job.IsExisting);
        Assert.Equal("close-acme", Assert.Single(server.Header("Idempotency-Key")));
    }

    [Fact]
    public async Task A_submission_whose_answer_was_lost_is_repeated_with_the_same_key()
    {
        await using var server = new ScriptedServer(null, Refused(503, "WEIR2041", "maybe", "Retry-After: 0\r\n"), Accepted("Idempotent-Replayed: true\r\n"));
        var job = await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        Assert.Equal((Id, false), (job.Id, job.IsExisting));
        Assert.Equal(3, server.Requests.Length);
        Assert.Single(server.Header("Idempotency-Key").Distinct());
    }

    [Fact]
    public async Task An_outcome_that_stays_unknown_names_the_job()
    {
        await using var server = new ScriptedServer(Refused(503, "WEIR2041", "maybe", $"Location: {Address}\r\nRetry-After: 0\r\n"));
        var error = await Assert.ThrowsAsync<JobOutcomeUnknownException>(async () => await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel));
        Assert.Equal((Id, "WEIR2041"), (error.Id, error.Problem?.Code));
        Assert.Equal(4, server.Requests.Length);
    }

    [Fact]
    public async Task A_server_that_is_never_reached_is_an_error_of_the_transport_after_four_attempts()
    {
        await using var server = new ScriptedServer([null]);
        await Assert.ThrowsAsync<HttpRequestException>(async () => await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel));
        Assert.Equal(4, server.Requests.Length);
    }

    [Fact]
    public async Task The_token_ends_the_repetitions()
    {
        await using var server = new ScriptedServer(Refused(503, "WEIR2041", "maybe", "Retry-After: 60\r\n"));
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var submission = Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: ending.Token).AsTask();
        while (server.Requests.Length == 0)
        {
            await Task.Yield();
        }

        await ending.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => submission);
        Assert.Single(server.Requests);
    }

    [Fact]
    public async Task A_key_of_another_call_is_an_exception_that_names_its_job()
    {
        await using var server = new ScriptedServer(Refused(422, "WEIR2042", $"The idempotency key '{Guid.NewGuid()}' belongs to job {Id} of Reports/Build, which has other arguments."));
        var error = await Assert.ThrowsAsync<JobKeyReusedException>(async () => await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), new JobOptions { IdempotencyKey = "k" }, Cancel));
        Assert.Equal(Id, error.Id);
        Assert.Contains("'k'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("WEIR2043")]
    [InlineData("WEIR2044")]
    public async Task A_server_that_takes_no_job_now_rejects_the_call_and_is_not_asked_again(string code)
    {
        await using var server = new ScriptedServer(Refused(503, code, "later", "Retry-After: 7\r\n"));
        var error = await Assert.ThrowsAsync<CallRejectedException>(async () => await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel));
        Assert.Equal((code, TimeSpan.FromSeconds(7)), (error.Code, error.RetryAfter));
        Assert.Single(server.Requests);
    }

    [Fact]
    public async Task Arguments_that_do_not_bind_are_the_exception_of_a_direct_call()
    {
        await using var server = new ScriptedServer(Refused(400, "WEIR2001", "", more: ""","bindingErrors":[{"name":"year","source":"body","reason":"invalid","expected":"a number"}]"""));
        var error = await Assert.ThrowsAsync<BindingException>(async () => await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel));
        Assert.Equal("year", Assert.Single(error.Errors).Name);
    }

    [Fact]
    public async Task A_server_with_another_contract_runs_nothing_and_stores_nothing()
    {
        await using var server = new ScriptedServer(Refused(412, WeirCodes.ContractChanged, "another one"));
        var error = await Assert.ThrowsAsync<ContractChangedException>(async () => await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel));
        Assert.False(error.HasRun);
        Assert.Single(server.Requests);
    }

    [Fact]
    public async Task An_operation_whose_requests_are_always_jobs_has_no_direct_result()
    {
        await using var server = new ScriptedServer(Accepted());
        Assert.Equal(Id, (await WeirClient.CreateJobs<IArchive>(server.Http).EnqueueAsync(a => a.Store(7), cancellationToken: Cancel)).Id);
        var error = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await WeirClient.Create<IArchive>(server.Http).Store(7));
        Assert.Contains(Address, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("200 OK", "")]
    [InlineData("202 Accepted", "Location: /x\r\n")]
    public async Task A_server_that_runs_the_call_instead_is_an_exception_that_says_so(string status, string headers)
    {
        await using var server = new ScriptedServer(HostileServer.Response(status, "application/json", """{"tenant":"acme","year":2026}""", headers));
        var error = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel));
        Assert.Contains("the call HAS RUN", error.Message, StringComparison.Ordinal);
        Assert.Single(server.Requests);
    }

    [Theory]
    [InlineData("http://elsewhere.example{0}")]
    [InlineData("{0}?a=b")]
    [InlineData("{0}")]
    public async Task The_job_is_asked_for_where_the_call_was_sent_to(string location)
    {
        await using var server = new ScriptedServer(Accepted(location: string.Format(null, location, Address)), Found("running"));
        var job = await Jobs(server).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        Assert.NotNull(await job.GetAsync(Cancel));
        Assert.Equal($"GET {Address}", server.Lines[1]);
    }

    [Fact]
    public void The_lambda_makes_one_call_of_a_job()
    {
        using var http = new HttpClient { BaseAddress = new Uri("http://127.0.0.1:1") };
        var jobs = WeirClient.CreateJobs<IReports>(http);
        Assert.Contains("no call", Refusal(() => jobs.EnqueueAsync(r => default(ValueTask<int>))), StringComparison.Ordinal);
        Assert.Contains("Reports/Charge and Reports/Build", Refusal(() => jobs.EnqueueAsync(r =>
        {
            _ = r.Charge("acme", 1);
            return r.Build("acme", 2026);
        })), StringComparison.Ordinal);
        Assert.Contains("passes a token to Reports/Wait", Refusal(() => jobs.EnqueueAsync(r => r.Wait(Cancel))), StringComparison.Ordinal);
        Assert.Contains("Reports/Direct is no job", Refusal(() => jobs.EnqueueAsync(r => r.Direct(1))), StringComparison.Ordinal);
        Assert.Contains("Reports/Never is no job over HTTP", Refusal(() => jobs.EnqueueAsync(r => r.Never(1))), StringComparison.Ordinal);
        Assert.Contains("Reports/Either by GET", Refusal(() => jobs.EnqueueAsync(r => r.Either(1))), StringComparison.Ordinal);
        Assert.Contains("Reports/Direct is no job", Refusal(() => jobs.Get(Id, r => r.Direct(1))), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_the_lambda_gets_cannot_be_called_later()
    {
        await using var server = new ScriptedServer(Accepted());
        IReports? kept = null;
        IAsyncEnumerable<int>? pages = null;
        await Jobs(server).EnqueueAsync(
            r =>
            {
                kept = r;
                return pages = r.Pages(3);
            }, cancellationToken: Cancel);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await kept!.Build("acme", 2026, Cancel));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await pages!.ToListAsync(Cancel));
    }

    [Fact]
    public async Task Options_that_are_not_sent_are_refused()
    {
        using var http = new HttpClient { BaseAddress = new Uri("http://127.0.0.1:1") };
        var jobs = WeirClient.CreateJobs<IReports>(http);
        (string Name, JobOptions Options)[] refused =
        [
            (nameof(JobOptions.UniqueUntil), new JobOptions { IdempotencyKey = "k", UniqueUntil = JobUniqueness.Ended }),
            (nameof(JobOptions.Due), new JobOptions { Due = DateTimeOffset.UnixEpoch }),
            (nameof(JobOptions.After), new JobOptions { After = TimeSpan.Zero }),
            (nameof(JobOptions.ExpiresAfter), new JobOptions { ExpiresAfter = TimeSpan.FromHours(1) }),
            (nameof(JobOptions.Key), new JobOptions { Key = "acme" }),
            (nameof(JobOptions.Priority), new JobOptions { Priority = JobPriority.High }),
            (nameof(JobOptions.Owner), new JobOptions { Owner = "me" }),
            (nameof(JobOptions.IdempotencyKey), new JobOptions { IdempotencyKey = "" }),
            (nameof(JobOptions.IdempotencyKey), new JobOptions { IdempotencyKey = "two words" }),
            (nameof(JobOptions.IdempotencyKey), new JobOptions { IdempotencyKey = "\"quoted\"" }),
            (nameof(JobOptions.IdempotencyKey), new JobOptions { IdempotencyKey = "schlüssel" }),
            (nameof(JobOptions.IdempotencyKey), new JobOptions { IdempotencyKey = new string('k', 201) }),
        ];
        foreach (var (name, options) in refused)
        {
            var error = await Assert.ThrowsAsync<ArgumentException>(async () => await jobs.EnqueueAsync(r => r.Build("acme", 2026), options, Cancel));
            Assert.Contains($"JobOptions.{name} is", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task What_HTTP_does_not_have_says_what_to_do_instead()
    {
        using var http = new HttpClient { BaseAddress = new Uri("http://127.0.0.1:1") };
        var jobs = WeirClient.CreateJobs<IReports>(http);
        var many = await Assert.ThrowsAsync<NotSupportedException>(async () => await jobs.EnqueueManyAsync(["a", "b"], (r, tenant) => r.Charge(tenant, 1), cancellationToken: Cancel));
        Assert.Contains("EnqueueAsync", many.Message, StringComparison.Ordinal);
        var edit = await Assert.ThrowsAsync<NotSupportedException>(async () => await jobs.EditAsync(Id, r => r.Build("acme", 2027), Cancel));
        Assert.Contains("MapWeirJobsAdmin", edit.Message, StringComparison.Ordinal);
    }

    private static IRemoteJobs<IReports> Jobs(ScriptedServer server) => WeirClient.CreateJobs<IReports>(server.Http);

    private static string Refusal(Action submit) => Assert.Throws<InvalidOperationException>(submit).Message;
}
