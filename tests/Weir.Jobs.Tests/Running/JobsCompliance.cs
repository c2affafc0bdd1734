namespace Weir.Jobs.Tests.Running;

/// <summary>What an application does with jobs, whatever its store.</summary>
public abstract class JobsCompliance
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_call_is_submitted_runs_and_answers_with_its_result()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Build("a", 2026), cancellationToken: Ct);
        Assert.Equal(new Report("a", 2026, job.Id.ToString()), await job.ResultAsync(Ct));
        var info = await job.GetAsync(Ct);
        Assert.Equal((JobState.Succeeded, "Reports/Build", 1, 5), (info!.State, info.Kind, info.Attempt, info.Attempts));
    }

    [Fact]
    public async Task A_call_without_a_result_runs_once()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Charge("a", 9.99m), cancellationToken: Ct);
        await job.ResultAsync(Ct);
        Assert.Equal(["charge a 9.99"], host.Board.Lines);
    }

    [Fact]
    public async Task The_items_of_a_stream_are_read_from_any_index()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Pages(300), cancellationToken: Ct);
        Assert.Equal(Enumerable.Range(0, 300), await job.ItemsAsync(0, Ct).ToArrayAsync(Ct));
        Assert.Equal(Enumerable.Range(290, 10), await job.ItemsAsync(290, Ct).ToArrayAsync(Ct));
        Assert.Empty(await job.ItemsAsync(1_000, Ct).ToArrayAsync(Ct));
    }

    [Fact]
    public async Task What_throws_is_tried_again_as_often_as_its_author_asked()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Flaky("a", 2), cancellationToken: Ct);
        Assert.Equal(3, await job.ResultAsync(Ct));
        var failing = await host.Reports.EnqueueAsync(reports => reports.Flaky("b", 9), cancellationToken: Ct);
        var thrown = await Assert.ThrowsAsync<RemoteException>(() => failing.ResultAsync(Ct));
        Assert.Equal(("Attempt 3 fails.", typeof(InvalidOperationException).FullName), (thrown.Message, thrown.TypeName));
        Assert.Equal(3, (await host.Jobs.AttemptsAsync(failing.Id, Ct)).Count);
    }

    [Fact]
    public async Task A_declared_exception_is_an_answer_and_is_caught_by_its_type()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Refuse("closed"), cancellationToken: Ct);
        Assert.Equal("closed", (await Assert.ThrowsAsync<NotReadyException>(() => job.ResultAsync(Ct))).Message);
    }

    [Fact]
    public async Task A_job_that_asks_for_it_is_run_again_and_that_is_no_failure()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Again("a"), cancellationToken: Ct);
        Assert.Equal("after 3 starts", await job.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_that_runs_is_cancelled_when_its_code_has_ended()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct);
        while ((await job.GetAsync(Ct))!.Progress is null)
        {
            await Task.Delay(5, Ct);
        }

        await job.CancelAsync(Ct);
        Assert.Equal(JobState.Cancelled, (await job.WaitAsync(Ct)).State);
        Assert.Equal(JobState.Cancelled, (await Assert.ThrowsAsync<JobException>(() => job.ResultAsync(Ct))).State);
    }

    [Fact]
    public async Task A_job_that_takes_too_long_fails_with_its_timeout()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Slow(), cancellationToken: Ct);
        var info = await job.WaitAsync(Ct);
        Assert.Equal((JobState.Failed, JobReason.Timeout), (info.State, info.Reason));
        await Assert.ThrowsAsync<DeadlineExceededException>(() => job.ResultAsync(Ct));
    }

    [Fact]
    public async Task Bytes_go_and_come_as_they_are()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Reverse(new byte[] { 1, 2, 3 }, "n"), cancellationToken: Ct);
        Assert.Equal([3, 2, 1], await job.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_on_the_lane_runs_on_a_thread_of_the_lane_and_reports_progress()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.OnLane("lane"), cancellationToken: Ct);
        Assert.StartsWith("Weir lane", await job.ResultAsync(Ct), StringComparison.Ordinal);
        Assert.Equal(new JobProgress(1, "lane"), (await job.GetAsync(Ct))!.Progress);
    }

    [Fact]
    public async Task Many_calls_are_submitted_at_once_and_all_run()
    {
        await using var host = await StartAsync();
        var jobs = await host.Reports.EnqueueManyAsync(Enumerable.Range(0, 1_000), (reports, year) => reports.Build("many", year), cancellationToken: Ct);
        Assert.Equal(1_000, jobs.Select(static job => job.Id).Distinct().Count());
        for (var year = 0; year < jobs.Count; year++)
        {
            Assert.Equal(year, (await jobs[year].ResultAsync(Ct)).Year);
        }
    }

    [Fact]
    public async Task Too_many_calls_at_once_are_refused_and_none_is_stored()
    {
        await using var host = await StartAsync();
        var refused = await Assert.ThrowsAsync<ArgumentException>(async () => await host.Reports.EnqueueManyAsync(Enumerable.Range(0, 1_001), (reports, year) => reports.Build("many", year), cancellationToken: Ct));
        Assert.Contains("Chunk", refused.Message, StringComparison.Ordinal);
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Fact]
    public async Task Equal_submissions_at_once_are_one_job()
    {
        await using var host = await StartAsync();
        var jobs = await Task.WhenAll(Enumerable.Range(0, 64).Select(async _ => await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), new JobOptions { IdempotencyKey = "k" }, Ct)));
        Assert.Single(jobs.Select(static job => job.Id).Distinct());
        Assert.Single(jobs, static job => !job.IsExisting);
        await jobs[0].ResultAsync(Ct);
        Assert.Single(host.Board.Lines);
    }

    [Fact]
    public async Task A_key_with_another_call_is_refused()
    {
        await using var host = await StartAsync();
        var first = await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), new JobOptions { IdempotencyKey = "k" }, Ct);
        var refused = await Assert.ThrowsAsync<JobKeyReusedException>(async () => await host.Reports.EnqueueAsync(reports => reports.Charge("a", 2), new JobOptions { IdempotencyKey = "k" }, Ct));
        Assert.Equal(first.Id, refused.Id);
        Assert.False((await host.Reports.EnqueueAsync(reports => reports.Charge("a", 2), new JobOptions { IdempotencyKey = "k", Owner = "b" }, Ct)).IsExisting);
    }

    [Fact]
    public async Task A_job_that_is_due_later_waits_for_its_time()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Build("later", 1), new JobOptions { After = TimeSpan.FromMilliseconds(200) }, Ct);
        Assert.Equal(JobState.Scheduled, (await job.GetAsync(Ct))!.State);
        await job.ResultAsync(Ct);
        var info = (await job.GetAsync(Ct))!;
        Assert.True(info.Started >= info.Due, $"It was due at {info.Due:O} and started at {info.Started:O}.");
    }

    [Fact]
    public async Task A_job_that_waits_is_cancelled_at_once_and_begins_again_by_hand()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), new JobOptions { After = TimeSpan.FromHours(1) }, Ct);
        Assert.Equal(JobState.Cancelled, (await job.CancelAsync(Ct))!.State);
        Assert.Equal(job.Id, (await host.Jobs.RetryAsync(job.Id, Ct)).Id);
        await job.ResultAsync(Ct);
        Assert.NotEqual(job.Id, (await host.Jobs.RetryAsync(job.Id, Ct)).Id);
        Assert.True(await host.Jobs.PurgeAsync(job.Id, Ct));
        Assert.Null(await job.GetAsync(Ct));
        Assert.Null((await Assert.ThrowsAsync<JobException>(() => job.WaitAsync(Ct))).State);
    }

    [Fact]
    public async Task No_more_jobs_of_a_kind_run_at_once_than_it_allows()
    {
        await using var host = await StartAsync(jobs => jobs.Kind("Reports/Wait").Concurrency = 2);
        var jobs = new List<Job<string>>();
        for (var index = 0; index < 5; index++)
        {
            jobs.Add(await host.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct));
        }

        await Until(async () => (await host.Jobs.ListAsync(new JobQuery { State = JobState.Running }, Ct)).Count == 2);
        Assert.Equal(3, (await host.Jobs.ListAsync(new JobQuery { State = JobState.Ready }, Ct)).Count);
        host.Board.Open("gate");
        foreach (var job in jobs)
        {
            Assert.Equal("gate", await job.ResultAsync(Ct));
        }
    }

    [Fact]
    public async Task Another_kind_starts_while_one_uses_up_the_limit_of_all()
    {
        await using var host = await StartAsync(jobs => jobs.MaxRunning = 1);
        var waiting = await host.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct);
        var second = await host.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct);
        await (await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), cancellationToken: Ct)).ResultAsync(Ct);
        Assert.Equal((JobState.Running, JobState.Ready), ((await waiting.GetAsync(Ct))!.State, (await second.GetAsync(Ct))!.State));
        host.Board.Open("gate");
        await second.ResultAsync(Ct);
    }

    [Theory]
    [InlineData("none")]
    [InlineData("two")]
    [InlineData("token")]
    [InlineData("await")]
    public async Task A_lambda_that_makes_no_call_several_or_one_with_a_token_is_refused(string what)
    {
        await using var host = await StartAsync();
        using var token = new CancellationTokenSource();
        Func<IReportsClient, ValueTask> lambda = what switch
        {
            "none" => static _ => default,
            "two" => reports =>
            {
                _ = reports.Charge("a", 1).AsTask();
                return reports.Charge("b", 2);
            }
            ,
            "token" => reports => reports.Slow(token.Token),
            _ => async reports =>
            {
                await Task.Yield();
                await reports.Charge("a", 1);
            }
            ,
        };
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await host.Reports.EnqueueAsync(lambda, cancellationToken: Ct));
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Fact]
    public async Task An_operation_that_is_no_job_is_refused()
    {
        await using var host = await StartAsync();
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(async () => await host.Reports.EnqueueAsync(reports => reports.Direct(), cancellationToken: Ct));
        Assert.Contains("[Job]", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_job_that_waits_for_one_of_its_own_kind_is_told_so()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Nested(2), cancellationToken: Ct);
        var thrown = await Assert.ThrowsAsync<RemoteException>(() => job.ResultAsync(Ct));
        Assert.Contains("keep the place", thrown.Message, StringComparison.Ordinal);
        var child = Assert.Single(await host.Jobs.ListAsync(new JobQuery { Kind = "Reports/Nested" }, Ct), one => one.Id != job.Id);
        Assert.Equal(job.Id, child.Parent);
    }

    [Fact]
    public async Task A_stopped_host_waits_for_its_jobs_and_interrupts_those_that_take_too_long()
    {
        var board = new Board();
        var host = await StartAsync(jobs => jobs.DrainTimeout = TimeSpan.FromMilliseconds(300), board);
        var ended = await host.Reports.EnqueueAsync(reports => reports.Wait("opened"), cancellationToken: Ct);
        var late = await host.Reports.EnqueueAsync(reports => reports.Wait("never"), cancellationToken: Ct);
        await Until(async () => (await host.Jobs.ListAsync(new JobQuery { State = JobState.Running }, Ct)).Count == 2);
        var jobs = host.Jobs;
        var results = Task.WhenAll(ended.WaitAsync(Ct), late.WaitAsync(Ct));
        var stopping = host.StopAsync();
        board.Open("opened");
        await stopping;
        var infos = await results;
        Assert.Equal((JobState.Succeeded, JobState.Failed, JobReason.Interrupted), (infos[0].State, infos[1].State, infos[1].Reason));
        await host.DisposeAsync();
    }

    [Fact]
    public async Task Counts_are_by_kind_and_state()
    {
        await using var host = await StartAsync();
        await (await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), cancellationToken: Ct)).ResultAsync(Ct);
        await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), new JobOptions { After = TimeSpan.FromHours(1) }, Ct);
        Assert.Equal(
            [new JobCount("Reports/Charge", JobState.Scheduled, 1), new JobCount("Reports/Charge", JobState.Succeeded, 1)],
            (await host.Jobs.CountsAsync(Ct)).OrderBy(static count => count.State));
    }

    [Fact]
    public async Task What_another_call_of_an_operation_ends_with_is_an_exception_of_the_job_and_counts_as_one()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.NotPlaced("a"), cancellationToken: Ct);
        Assert.Equal((JobState.Failed, JobReason.Exception, 2), ((await job.WaitAsync(Ct)).State, (await job.GetAsync(Ct))!.Reason, (await job.GetAsync(Ct))!.Attempt));
        Assert.Equal(2, host.Board.Lines.Count);
    }

    [Fact]
    public async Task An_item_is_read_before_the_next_one_is_made_and_a_stream_that_ignores_its_token_is_cancelled()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.EndlessPages("gate"), cancellationToken: Ct);
        await using var items = job.ItemsAsync(0, Ct).GetAsyncEnumerator(Ct);
        Assert.True(await items.MoveNextAsync());
        Assert.True(await items.MoveNextAsync());
        await job.CancelAsync(Ct);
        host.Board.Open("gate");
        Assert.Equal(JobState.Cancelled, (await job.WaitAsync(Ct)).State);
    }

    [Fact]
    public async Task No_more_jobs_run_at_once_than_the_process_allows_but_the_first_of_each_kind()
    {
        await using var host = await StartAsync(static jobs => jobs.MaxRunning = 3);
        await host.Reports.EnqueueManyAsync(Enumerable.Range(0, 8), (reports, _) => reports.Wait("gate"), cancellationToken: Ct);
        await host.Reports.EnqueueManyAsync(Enumerable.Range(0, 8), (reports, _) => reports.EndlessPages("gate"), cancellationToken: Ct);
        await Until(async () => (await host.Jobs.ListAsync(new JobQuery { State = JobState.Running }, Ct)).Count >= 4);
        await Task.Delay(50, Ct);
        Assert.Equal(4, (await host.Jobs.ListAsync(new JobQuery { State = JobState.Running }, Ct)).Count);
        foreach (var job in await host.Jobs.ListAsync(new JobQuery { Limit = 100 }, Ct))
        {
            await host.Jobs.CancelAsync(job.Id, Ct);
        }

        host.Board.Open("gate");
    }

    protected abstract void Choose(WeirJobsOptions jobs);

    private protected Task<JobsHost> StartAsync(Action<WeirJobsOptions>? configure = null, Board? board = null) => JobsHost.StartAsync(jobs =>
    {
        Choose(jobs);
        configure?.Invoke(jobs);
    }, board);

    private protected static async Task Until(Func<Task<bool>> condition)
    {
        while (!await condition())
        {
            await Task.Delay(5, Ct);
        }
    }
}
