using System.Diagnostics.CodeAnalysis;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Testing;

/// <summary>Jobs in the test of an application that run where they are submitted.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "What a recorded call returns never completes.")]
public sealed class InlineModeTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_job_has_run_when_its_submission_returns()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        var job = await tested.Errands.EnqueueAsync(errands => errands.Run("a"), cancellationToken: Ct);
        Assert.Equal(["a"], tested.Board.Lines);
        Assert.Equal(JobState.Succeeded, (await job.GetAsync(Ct))!.State);
        Assert.Equal(job.Id, Assert.Single(tested.Testing.Enqueued<IErrandsClient>(errands => errands.Run("a"))).Id);
        Assert.Equal(0, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Succeeded);
    }

    [Fact]
    public async Task A_failure_is_in_the_handle_and_is_not_thrown_by_the_submission()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        var job = await tested.Reports.EnqueueAsync(reports => reports.Refuse("closed"), cancellationToken: Ct);
        Assert.Equal("closed", (await Assert.ThrowsAsync<NotReadyException>(() => job.ResultAsync(Ct))).Message);
    }

    [Fact]
    public async Task Many_run_in_the_order_of_their_arguments()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        var jobs = await tested.Errands.EnqueueManyAsync([("b", 1), ("b", 2), ("a", 1)], (errands, one) => errands.Of(one.Item1, one.Item2), cancellationToken: Ct);
        Assert.Equal(["b1", "b2", "a1"], tested.Board.Lines);
        Assert.All(tested.Testing.Enqueued(), static job => Assert.Equal(JobState.Succeeded, job.State));
        Assert.Equal(jobs.Select(static job => job.Id), tested.Testing.Enqueued().Select(static job => job.Id));
    }

    [Fact]
    public async Task Jobs_that_jobs_submit_run_inside()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        await tested.Errands.EnqueueAsync(errands => errands.Chain(3), cancellationToken: Ct);
        Assert.Equal(["chain 3", "chain 2", "chain 1", "chain 0"], tested.Board.Lines);
        var ask = await tested.Errands.EnqueueAsync(errands => errands.Ask("a", 0), cancellationToken: Ct);
        Assert.Equal(1, await ask.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_that_submits_itself_without_end_is_stopped()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        await tested.Errands.EnqueueAsync(errands => errands.Chain(int.MaxValue), cancellationToken: Ct);
        Assert.Equal(100, tested.Board.Lines.Count);
        var failed = Assert.Single(tested.Testing.Enqueued(), static job => job.State == JobState.Failed);
        Assert.Contains("JobsTestingMode.Manual", failed.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_due_later_or_waits_for_another_attempt_runs_with_a_drain()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        var later = await tested.Errands.EnqueueAsync(errands => errands.Run("later"), new JobOptions { After = TimeSpan.FromHours(1) }, Ct);
        var flaky = await tested.Reports.EnqueueAsync(reports => reports.Flaky("a", 1), cancellationToken: Ct);
        Assert.Equal((JobState.Scheduled, 0), ((await later.GetAsync(Ct))!.State, (await later.GetAsync(Ct))!.Attempt));
        Assert.Equal((JobState.Scheduled, 1), ((await flaky.GetAsync(Ct))!.State, (await flaky.GetAsync(Ct))!.Attempt));
        tested.Time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(2, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Succeeded);
        Assert.Equal(2, await flaky.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_submission_that_finds_its_key_runs_nothing()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        var options = new JobOptions { IdempotencyKey = "once" };
        var first = await tested.Errands.EnqueueAsync(errands => errands.Run("a"), options, Ct);
        var second = await tested.Errands.EnqueueAsync(errands => errands.Run("a"), options, Ct);
        Assert.Equal((first.Id, true), (second.Id, second.IsExisting));
        Assert.Equal(["a"], tested.Board.Lines);
    }

    [Fact]
    public async Task A_job_of_a_paused_kind_waits()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        await tested.Jobs.PauseAsync("Errands/Run", Ct);
        var job = await tested.Errands.EnqueueAsync(errands => errands.Run("a"), cancellationToken: Ct);
        Assert.Equal(JobState.Ready, (await job.GetAsync(Ct))!.State);
        await tested.Jobs.ResumeAsync("Errands/Run", Ct);
        Assert.Equal(1, (await tested.Testing.DrainAsync(cancellationToken: Ct)).Succeeded);
    }

    [Fact]
    public async Task Items_and_what_JSON_does_not_carry_are_as_in_the_store()
    {
        await using var tested = new TestedJobs(JobsTestingMode.Inline);
        var pages = await tested.Reports.EnqueueAsync(reports => reports.Pages(3, 0), cancellationToken: Ct);
        Assert.Equal(Enumerable.Range(0, 3), await pages.ItemsAsync(0, Ct).ToArrayAsync(Ct));
        var read = await tested.Errands.EnqueueAsync(errands => errands.Read(new Parcel("a") { Note = "fragile" }), cancellationToken: Ct);
        Assert.Null(await read.ResultAsync(Ct));
    }
}
