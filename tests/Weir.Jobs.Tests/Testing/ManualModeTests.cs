using System.Diagnostics.CodeAnalysis;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Testing;

/// <summary>Jobs in the test of an application that run when the test says so.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "What a recorded call returns never completes.")]
public sealed class ManualModeTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_job_is_stored_and_runs_when_the_test_drains()
    {
        await using var tested = new TestedJobs();
        var job = await tested.Reports.EnqueueAsync(reports => reports.Build("a", 2026), cancellationToken: Ct);
        Assert.Equal(JobState.Ready, (await job.GetAsync(Ct))!.State);
        var drained = await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Equal((1, 0, 0, 0, 0), (drained.Succeeded, drained.Failed, drained.Cancelled, drained.Returned, drained.Expired));
        Assert.Empty(drained.Failures);
        Assert.Equal(new Report("a", 2026, job.Id.ToString()), await job.ResultAsync(Ct));
        Assert.Equal(0, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Succeeded);
    }

    [Fact]
    public async Task What_was_submitted_is_found_by_its_call_and_shows_how_it_was_submitted()
    {
        await using var tested = new TestedJobs();
        var first = await tested.Reports.EnqueueAsync(reports => reports.Build("a", 2026), new JobOptions { Key = "k", Priority = JobPriority.High, After = TimeSpan.FromHours(1) }, Ct);
        await tested.Reports.EnqueueAsync(reports => reports.Build("a", 2027), cancellationToken: Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Run("a"), cancellationToken: Ct);
        var again = await tested.Reports.EnqueueAsync(reports => reports.Build("a", 2026), cancellationToken: Ct);
        var found = tested.Testing.Enqueued<IReportsClient>(reports => reports.Build("a", 2026));
        Assert.Equal([first.Id, again.Id], found.Select(static job => job.Id));
        Assert.Equal(("k", JobPriority.High, DateTimeOffset.UnixEpoch.AddHours(1), JobState.Scheduled), (found[0].Key, found[0].Priority, found[0].Due, found[0].State));
        Assert.Empty(tested.Testing.Enqueued<IReportsClient>(reports => reports.Build("b", 2026)));
        Assert.Equal(3, tested.Testing.Enqueued("reports/build").Count);
        Assert.Equal(4, tested.Testing.Enqueued().Count);
    }

    [Fact]
    public async Task Arguments_of_bytes_are_compared_too_and_a_job_that_has_run_is_still_found()
    {
        await using var tested = new TestedJobs();
        await tested.Reports.EnqueueAsync(reports => reports.Reverse(new byte[] { 1, 2 }, null), cancellationToken: Ct);
        await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Equal(JobState.Succeeded, Assert.Single(tested.Testing.Enqueued<IReportsClient>(reports => reports.Reverse(new byte[] { 1, 2 }, null))).State);
        Assert.Empty(tested.Testing.Enqueued<IReportsClient>(reports => reports.Reverse(new byte[] { 1, 3 }, null)));
    }

    [Fact]
    public async Task Kinds_come_in_the_order_of_submission_and_keys_of_a_kind_take_turns()
    {
        await using var tested = new TestedJobs();
        foreach (var (tenant, number) in new[] { ("b", 1), ("b", 2), ("a", 1), ("b", 3) })
        {
            await tested.Errands.EnqueueAsync(errands => errands.Of(tenant, number), cancellationToken: Ct);
        }

        await tested.Errands.EnqueueAsync(errands => errands.Run("last"), cancellationToken: Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Run("first"), new JobOptions { Priority = JobPriority.High }, Ct);
        Assert.Empty((await tested.Testing.DrainAsync(cancellationToken: Ct)).Failures);
        Assert.Equal(["a1", "b1", "b2", "b3", "first", "last"], tested.Board.Lines);

        await tested.Errands.EnqueueAsync(errands => errands.Run("x"), cancellationToken: Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Other("y"), cancellationToken: Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Run("z"), cancellationToken: Ct);
        await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Equal(["x", "y", "z"], tested.Board.Lines.TakeLast(3));
    }

    [Fact]
    public async Task Only_the_jobs_of_one_kind_run_where_that_is_asked_for()
    {
        await using var tested = new TestedJobs();
        await tested.Errands.EnqueueAsync(errands => errands.Run("run"), cancellationToken: Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Other("other"), cancellationToken: Ct);
        Assert.Equal(1, (await tested.Testing.DrainAsync("errands/other", cancellationToken: Ct)).Succeeded);
        Assert.Equal(["other"], tested.Board.Lines);
    }

    [Fact]
    public async Task Jobs_that_jobs_submit_run_in_the_same_drain()
    {
        await using var tested = new TestedJobs();
        await tested.Errands.EnqueueAsync(errands => errands.Chain(3), cancellationToken: Ct);
        Assert.Equal(4, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Succeeded);
        Assert.Equal(["chain 3", "chain 2", "chain 1", "chain 0"], tested.Board.Lines);
        Assert.Equal(4, tested.Testing.Enqueued("Errands/Chain").Count);
    }

    [Fact]
    public async Task A_job_that_submits_itself_without_end_reaches_the_limit()
    {
        await using var tested = new TestedJobs();
        await tested.Errands.EnqueueAsync(errands => errands.Chain(int.MaxValue), cancellationToken: Ct);
        var thrown = await Assert.ThrowsAsync<InvalidOperationException>(() => tested.Testing.DrainAsync(limit: 5, cancellationToken: Ct));
        Assert.Contains("Errands/Chain", thrown.Message, StringComparison.Ordinal);
        Assert.Equal(5, tested.Board.Lines.Count);

        // As many as the limit are no error.
        await tested.Errands.EnqueueAsync(errands => errands.Run("a"), cancellationToken: Ct);
        Assert.Equal(1, (await tested.Testing.DrainAsync("Errands/Run", limit: 1, cancellationToken: Ct)).Succeeded);
    }

    [Fact]
    public async Task A_failure_is_in_the_result_with_what_was_thrown_and_in_the_handle_as_for_a_caller()
    {
        await using var tested = new TestedJobs();
        var job = await tested.Reports.EnqueueAsync(reports => reports.Refuse("closed"), cancellationToken: Ct);
        var drained = await tested.Testing.DrainAsync(cancellationToken: Ct);
        var failure = Assert.Single(drained.Failures);
        Assert.Equal((job.Id, "Reports/Refuse", 1, JobState.Failed, JobReason.Exception), (failure.Id, failure.Kind, failure.Attempt, failure.State, failure.Reason));
        Assert.Equal("closed", Assert.IsType<NotReadyException>(failure.Exception).Message);
        Assert.Equal((0, 1, 0), (drained.Succeeded, drained.Failed, drained.Returned));
        await Assert.ThrowsAsync<NotReadyException>(() => job.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_that_throws_waits_for_its_next_attempt_until_the_clock_has_reached_it()
    {
        await using var tested = new TestedJobs();
        var job = await tested.Reports.EnqueueAsync(reports => reports.Flaky("a", 2), cancellationToken: Ct);
        var drained = await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Equal((0, 0, 1), (drained.Succeeded, drained.Failed, drained.Returned));
        Assert.Equal("Attempt 1 fails.", Assert.Single(drained.Failures).Exception.Message);
        Assert.Equal((0, 0), ((drained = await tested.Testing.DrainAsync(cancellationToken: Ct)).Returned, drained.Succeeded));
        tested.Time.Advance(TimeSpan.FromMilliseconds(10));
        Assert.Equal(1, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Returned);
        tested.Time.Advance(TimeSpan.FromMilliseconds(40));
        Assert.Equal(1, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Succeeded);
        Assert.Equal(3, await job.ResultAsync(Ct));
    }

    [Fact]
    public async Task With_what_is_scheduled_no_clock_is_needed()
    {
        await using var tested = new TestedJobs();
        await tested.Errands.EnqueueAsync(errands => errands.Run("tomorrow"), new JobOptions { After = TimeSpan.FromDays(1) }, Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Run("in an hour"), new JobOptions { After = TimeSpan.FromHours(1) }, Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Run("now"), cancellationToken: Ct);
        var flaky = await tested.Reports.EnqueueAsync(reports => reports.Flaky("a", 9), cancellationToken: Ct);
        var drained = await tested.Testing.DrainAsync(withScheduled: true, cancellationToken: Ct);
        Assert.Equal((3, 1, 2), (drained.Succeeded, drained.Failed, drained.Returned));
        Assert.Equal([1, 2, 3], drained.Failures.Select(static failure => failure.Attempt));
        Assert.Equal(["now", "in an hour", "tomorrow"], tested.Board.Lines);
        Assert.Equal(JobState.Failed, (await flaky.GetAsync(Ct))!.State);
        Assert.Equal(DateTimeOffset.UnixEpoch, tested.Time.GetUtcNow());
    }

    [Fact]
    public async Task A_job_that_asks_to_be_run_again_is_no_failure()
    {
        await using var tested = new TestedJobs();
        var job = await tested.Reports.EnqueueAsync(reports => reports.Again("a"), cancellationToken: Ct);
        var drained = await tested.Testing.DrainAsync(withScheduled: true, cancellationToken: Ct);
        Assert.Equal((1, 2), (drained.Succeeded, drained.Returned));
        Assert.Empty(drained.Failures);
        Assert.Equal("after 3 starts", await job.ResultAsync(Ct));
    }

    [Fact]
    public async Task The_clock_of_the_test_makes_jobs_due_and_lets_them_expire()
    {
        await using var tested = new TestedJobs();
        await tested.Errands.EnqueueAsync(errands => errands.Run("due"), new JobOptions { After = TimeSpan.FromHours(1) }, Ct);
        var late = await tested.Errands.EnqueueAsync(errands => errands.Run("late"), new JobOptions { ExpiresAfter = TimeSpan.FromMinutes(1) }, Ct);
        tested.Time.Advance(TimeSpan.FromHours(1));
        var drained = await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Equal((1, 1), (drained.Succeeded, drained.Expired));
        Assert.Equal(["due"], tested.Board.Lines);
        Assert.Equal(JobState.Expired, (await late.GetAsync(Ct))!.State);
    }

    [Fact]
    public async Task A_schedule_occurs_when_the_clock_of_the_test_has_reached_it()
    {
        await using var tested = new TestedJobs(configure: static jobs =>
        {
            jobs.Schedule("nightly").Kind = "Errands/Run";
            jobs.Schedule("nightly").Cron = "0 3 * * *";
            jobs.Schedule("nightly").Arguments = """{"name":"night"}""";
        });
        Assert.Equal(0, (await tested.Testing.DrainAsync("Errands/Run", withScheduled: true, cancellationToken: Ct)).Succeeded);
        tested.Time.Advance(TimeSpan.FromHours(3));
        Assert.Equal(1, (await tested.Testing.DrainAsync("Errands/Run", cancellationToken: Ct)).Succeeded);
        tested.Time.Advance(TimeSpan.FromHours(23));
        Assert.Equal(0, (await tested.Testing.DrainAsync("Errands/Run", cancellationToken: Ct)).Succeeded);
        tested.Time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(1, (await tested.Testing.DrainAsync("Errands/Run", cancellationToken: Ct)).Succeeded);
        Assert.Equal(["night", "night"], tested.Board.Lines);
        Assert.Equal(2, tested.Testing.Enqueued<IErrandsClient>(errands => errands.Run("night")).Count);
    }

    [Fact]
    public async Task The_first_occurrence_of_a_schedule_is_computed_before_the_test_moves_its_clock()
    {
        await using var tested = new TestedJobs(configure: static jobs =>
        {
            jobs.Schedule("hourly").Kind = "Errands/Run";
            jobs.Schedule("hourly").Cron = "@hourly";
            jobs.Schedule("hourly").Arguments = """{"name":"hour"}""";
        });
        var testing = tested.Testing;
        tested.Time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(1, (await testing.DrainAsync("Errands/Run", cancellationToken: Ct)).Succeeded);
    }

    [Fact]
    public async Task A_job_that_takes_too_long_by_the_clock_of_the_test_fails_with_its_timeout()
    {
        await using var tested = new TestedJobs();
        await tested.Reports.EnqueueAsync(reports => reports.Slow(), cancellationToken: Ct);
        var draining = tested.Testing.DrainAsync(cancellationToken: Ct);
        while (tested.Time.NextTimer is null)
        {
            await Task.Delay(1, Ct);
        }

        tested.Time.Advance(TimeSpan.FromMilliseconds(100));
        var failure = Assert.Single((await draining).Failures);
        Assert.Equal((JobState.Failed, JobReason.Timeout), (failure.State, failure.Reason));
        Assert.IsType<DeadlineExceededException>(failure.Exception);
    }

    [Fact]
    public async Task A_job_that_is_cancelled_before_or_while_it_runs_is_no_failure()
    {
        await using var tested = new TestedJobs();
        var waiting = await tested.Errands.EnqueueAsync(errands => errands.Run("never"), cancellationToken: Ct);
        await waiting.CancelAsync(Ct);
        var running = await tested.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct);
        var draining = tested.Testing.DrainAsync(cancellationToken: Ct);
        while ((await running.GetAsync(Ct))!.Progress is null)
        {
            await Task.Delay(1, Ct);
        }

        await running.CancelAsync(Ct);
        var drained = await draining;
        Assert.Equal((0, 0, 1), (drained.Succeeded, drained.Failed, drained.Cancelled));
        Assert.Empty(drained.Failures);
        Assert.Empty(tested.Board.Lines);
        Assert.Equal(JobState.Cancelled, (await running.GetAsync(Ct))!.State);
    }

    [Fact]
    public async Task The_items_of_a_stream_are_read_from_its_handle()
    {
        await using var tested = new TestedJobs();
        var job = await tested.Reports.EnqueueAsync(reports => reports.Pages(300, 0), cancellationToken: Ct);
        await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Equal(Enumerable.Range(0, 300), await job.ItemsAsync(0, Ct).ToArrayAsync(Ct));
    }

    [Fact]
    public async Task What_JSON_does_not_carry_is_missing_in_arguments_and_results()
    {
        await using var tested = new TestedJobs();
        var read = await tested.Errands.EnqueueAsync(errands => errands.Read(new Parcel("a") { Note = "fragile" }), cancellationToken: Ct);
        var pack = await tested.Errands.EnqueueAsync(errands => errands.Pack("a"), cancellationToken: Ct);
        await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Null(await read.ResultAsync(Ct));
        Assert.Equal(new Parcel("a"), await pack.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_that_waits_for_another_one_lets_it_run_to_its_end()
    {
        await using var tested = new TestedJobs();
        var ask = await tested.Errands.EnqueueAsync(errands => errands.Ask("a", 2), cancellationToken: Ct);
        var sum = await tested.Errands.EnqueueAsync(errands => errands.Sum(5), cancellationToken: Ct);
        var drained = await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Equal((4, 2, 2), (drained.Succeeded, drained.Returned, drained.Failures.Count));
        Assert.Equal(3, await ask.ResultAsync(Ct));
        Assert.Equal(10, await sum.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_that_waits_for_one_of_a_paused_kind_fails_and_says_why()
    {
        await using var tested = new TestedJobs();
        await tested.Jobs.PauseAsync("Reports/Flaky", Ct);
        await tested.Errands.EnqueueAsync(errands => errands.Ask("a", 0), cancellationToken: Ct);
        var drained = await tested.Testing.DrainAsync(withScheduled: true, cancellationToken: Ct);
        Assert.Contains("its kind is paused", Assert.Single(drained.Failures).Exception.Message, StringComparison.Ordinal);
        await tested.Jobs.ResumeAsync("Reports/Flaky", Ct);
        Assert.Equal(1, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Succeeded);
    }

    [Fact]
    public async Task A_drain_that_waits_ends_with_its_token_and_the_attempt_goes_on()
    {
        await using var tested = new TestedJobs();
        using var stop = new CancellationTokenSource();
        var job = await tested.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct);
        var draining = tested.Testing.DrainAsync(cancellationToken: stop.Token);
        while ((await job.GetAsync(Ct))!.Progress is null)
        {
            await Task.Delay(1, Ct);
        }

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => draining);
        tested.Board.Open("gate");
        Assert.Equal("gate", await job.ResultAsync(Ct));
    }

    [Fact]
    public async Task Two_drains_at_once_run_each_job_once()
    {
        await using var tested = new TestedJobs();
        await tested.Errands.EnqueueManyAsync(Enumerable.Range(0, 50), (errands, number) => errands.Run($"{number}"), cancellationToken: Ct);
        var drained = await Task.WhenAll(tested.Testing.DrainAsync(cancellationToken: Ct), tested.Testing.DrainAsync(cancellationToken: Ct));
        Assert.Equal(50, drained.Sum(static one => one.Succeeded));
        Assert.Equal(Enumerable.Range(0, 50).Select(static number => $"{number}"), tested.Board.Lines);
    }

    [Fact]
    public async Task What_cannot_work_is_an_error_that_says_so()
    {
        await using var tested = new TestedJobs();
        Assert.Contains("Errands/Run", Assert.Throws<ArgumentException>(() => tested.Testing.Enqueued("Errands/Walk")).Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(() => tested.Testing.DrainAsync("Errands/Walk", cancellationToken: Ct));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => tested.Testing.DrainAsync(limit: 0, cancellationToken: Ct));
        Assert.Throws<InvalidOperationException>(() => tested.Testing.Enqueued<IReportsClient>(static _ => { }));
        Assert.Throws<InvalidOperationException>(() => tested.Testing.Enqueued<IReportsClient>(static reports => reports.Direct()));
        await tested.Errands.EnqueueAsync(errands => errands.Drain(), cancellationToken: Ct);
        var failure = Assert.Single((await tested.Testing.DrainAsync(cancellationToken: Ct)).Failures);
        Assert.Contains("DrainAsync is called in job", failure.Exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task After_the_end_of_the_application_nothing_is_run()
    {
        var tested = new TestedJobs();
        var testing = tested.Testing;
        await tested.DisposeAsync();
        await Assert.ThrowsAsync<CallRejectedException>(() => testing.DrainAsync(cancellationToken: Ct));
    }
}
