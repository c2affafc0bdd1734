namespace Weir.Jobs.Tests.Running;

/// <summary>Jobs in real workers.</summary>
public sealed class IsolatedJobsTests : IAsyncLifetime
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("weir-jobs-");
    private JobsHost _host = null!;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private IJobs<ILabelsClient> Labels => _host.Get<IJobs<ILabelsClient>>();

    public async ValueTask InitializeAsync() => _host = await JobsHost.StartAsync(
        jobs => jobs.UseSqlite(Path.Combine(_directory.FullName, "jobs.db")),
        weir: static weir =>
        {
            weir.RunInline = false;
            weir.Pool("labels").MinWorkers = 0;
            weir.Pool("labels").MaxWorkers = 2;
            weir.Pool("labels").CancelGrace = TimeSpan.FromMilliseconds(200);
        });

    public async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    [Fact]
    public async Task The_first_job_starts_the_first_worker_and_knows_what_it_is()
    {
        var job = await Labels.EnqueueAsync(labels => labels.Print("a"), new JobOptions { Key = "k" }, Ct);
        Assert.Equal($"a {job.Id} 1 k", await job.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_that_ends_its_worker_fails_as_crashed_and_its_attempt_has_the_report()
    {
        var job = await Labels.EnqueueAsync(labels => labels.Crash(), cancellationToken: Ct);
        var info = await job.WaitAsync(Ct);
        Assert.Equal((JobState.Failed, JobReason.Crashed, 1), (info.State, info.Reason, info.Attempt));
        var lost = await Assert.ThrowsAsync<WorkerLostException>(() => job.ResultAsync(Ct));
        var attempt = Assert.Single(await _host.Jobs.AttemptsAsync(job.Id, Ct));
        Assert.Equal(("crashed", lost.ReportId), (attempt.Outcome, attempt.ReportId));
        Assert.Contains("the label printer is on fire", attempt.Report, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_idempotent_job_that_ends_its_worker_is_started_twice_and_never_a_third_time()
    {
        var file = Path.Combine(_directory.FullName, "starts");
        var job = await Labels.EnqueueAsync(labels => labels.CrashEachTime(file), cancellationToken: Ct);
        Assert.Equal(JobReason.Crashed, (await job.WaitAsync(Ct)).Reason);
        Assert.Equal(["start", "start"], await File.ReadAllLinesAsync(file, Ct));
    }

    [Fact]
    public async Task A_declared_exception_comes_back_as_its_type_and_a_request_to_run_again_is_followed()
    {
        var refused = await Labels.EnqueueAsync(labels => labels.Refuse("closed"), cancellationToken: Ct);
        Assert.Equal("closed", (await Assert.ThrowsAsync<NotReadyException>(() => refused.ResultAsync(Ct))).Message);
        var file = Path.Combine(_directory.FullName, "again");
        Assert.Equal("done", await (await Labels.EnqueueAsync(labels => labels.Again(file), cancellationToken: Ct)).ResultAsync(Ct));
    }

    [Fact]
    public async Task The_items_of_a_worker_are_stored()
    {
        var job = await Labels.EnqueueAsync(labels => labels.Pages(200), cancellationToken: Ct);
        var pages = await job.ItemsAsync(100, Ct).ToArrayAsync(Ct);
        Assert.Equal(Enumerable.Range(100, 100).Select(static page => (byte)page), pages.Select(static page => page[0]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_cancelled_job_is_cancelled_when_its_code_has_ended_whether_or_not_it_listens(bool isDeaf)
    {
        var file = Path.Combine(_directory.FullName, "started");
        var job = isDeaf
            ? await Labels.EnqueueAsync(labels => labels.Deaf(file), cancellationToken: Ct)
            : await Labels.EnqueueAsync(labels => labels.Wait(file), cancellationToken: Ct);
        while (!File.Exists(file))
        {
            await Task.Delay(5, Ct);
        }

        await job.CancelAsync(Ct);
        Assert.Equal(JobState.Cancelled, (await job.WaitAsync(Ct)).State);
        if (isDeaf)
        {
            Assert.DoesNotContain(_host.Get<WeirRuntime>().Pools, static pool => pool.Running > 0);
        }
    }

    [Fact]
    public async Task A_job_that_takes_too_long_in_a_worker_fails_with_its_timeout()
    {
        var job = await Labels.EnqueueAsync(labels => labels.WaitTooLong(), cancellationToken: Ct);
        Assert.Equal(JobReason.Timeout, (await job.WaitAsync(Ct)).Reason);
    }

    [Fact]
    public async Task A_job_whose_filter_is_cancelled_after_it_ran_is_not_run_again()
    {
        var file = Path.Combine(_directory.FullName, "count");
        var job = await Labels.EnqueueAsync(labels => labels.Count(file), cancellationToken: Ct);
        var info = await job.WaitAsync(Ct);
        Assert.Equal((JobState.Failed, JobReason.Exception, 1), (info.State, info.Reason, info.Attempt));
        Assert.Equal("x", await File.ReadAllTextAsync(file, Ct));
    }

    [Fact]
    public async Task Progress_of_a_worker_is_seen_while_it_runs_however_often_it_reports_and_is_kept()
    {
        var file = Path.Combine(_directory.FullName, "continue");
        var job = await Labels.EnqueueAsync(labels => labels.Report(100_000, file, default), cancellationToken: Ct);
        await SeeAsync(_host, job, new JobProgress(1, "100000 of 100000"));
        await File.WriteAllTextAsync(file, "", Ct);
        var ended = await job.WaitAsync(Ct);
        Assert.Equal((JobState.Succeeded, new JobProgress(1, "100000 of 100000")), (ended.State, ended.Progress));
    }

    [Fact]
    public async Task Progress_of_a_job_that_failed_is_one_that_it_reported_or_none()
    {
        // What is sent together with the end of a call may come too late.
        var job = await Labels.EnqueueAsync(labels => labels.ReportAndFail(), cancellationToken: Ct);
        var info = await job.WaitAsync(Ct);
        Assert.Equal((JobState.Failed, JobReason.Exception), (info.State, info.Reason));
        Assert.Contains(info.Progress, new JobProgress?[] { null, new(0.25, "begins"), new(0.75, "page 3 of 4") });
    }

    [Fact]
    public async Task An_isolated_operation_that_runs_in_the_host_reports_too()
    {
        var file = Path.Combine(_directory.FullName, "continue");
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory(), weir: static weir => weir.RunInline = true);
        var job = await host.Get<IJobs<ILabelsClient>>().EnqueueAsync(labels => labels.Report(4, file, default), cancellationToken: Ct);
        await SeeAsync(host, job, new JobProgress(1, "4 of 4"));
        await File.WriteAllTextAsync(file, "", Ct);
        Assert.Equal(JobState.Succeeded, (await job.WaitAsync(Ct)).State);
    }

    [Fact]
    public async Task More_jobs_than_places_all_run()
    {
        var jobs = await Labels.EnqueueManyAsync(Enumerable.Range(0, 50), (labels, number) => labels.Print($"{number}"), cancellationToken: Ct);
        for (var number = 0; number < jobs.Count; number++)
        {
            Assert.StartsWith($"{number} ", await jobs[number].ResultAsync(Ct), StringComparison.Ordinal);
        }
    }

    // As anyone sees it who has its id, while it runs.
    private static async Task SeeAsync(JobsHost host, Job job, JobProgress expected)
    {
        JobInfo? info;
        while ((info = await host.Jobs.Get(job.Id).GetAsync(Ct))?.Progress != expected)
        {
            Assert.True(info is { HasEnded: false }, $"{info?.State} {info?.Reason} at {info?.Progress}");
            await Task.Delay(5, Ct);
        }

        Assert.Equal(JobState.Running, info.State);
    }
}
