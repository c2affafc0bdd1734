using System.Data.Common;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Running;
using Weir.Tests;

namespace Weir.Jobs.Tests.Replicas;

/// <summary>What applications do that share a store.</summary>
public sealed class ReplicaTests : IAsyncDisposable
{
    private readonly SharedMemory _shared = new();

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public ValueTask DisposeAsync() => _shared.DisposeAsync();

    [Fact]
    public async Task A_job_that_one_process_accepts_runs_in_another_and_both_hear_of_its_end()
    {
        await using var web = await StartAsync(static jobs => jobs.Run = false);
        await using var runner = await StartAsync();
        var job = await web.Host.Reports.EnqueueAsync(reports => reports.Build("acme", 2026), cancellationToken: Ct);
        Assert.Equal("acme", (await job.ResultAsync(Ct)).Tenant);
        Assert.Equal([job.Id], web.Store.Watched.Distinct());
        Assert.Equal(JobState.Succeeded, (await runner.Host.Jobs.Get(job.Id).WaitAsync(Ct)).State);
        Assert.Empty(web.Store.Me!.Kinds);
        Assert.Contains(runner.Store.Me!.Kinds, static kind => kind.Kind == "Reports/Build");
    }

    [Fact]
    public async Task Items_are_read_in_another_process_while_the_job_runs()
    {
        await using var web = await StartAsync(static jobs => jobs.Run = false);
        await using var runner = await StartAsync();
        var job = await web.Host.Reports.EnqueueAsync(reports => reports.EndlessPages("more"), cancellationToken: Ct);
        await using var items = job.ItemsAsync(cancellationToken: Ct).GetAsyncEnumerator(Ct);
        for (var index = 0; index < 4; index++)
        {
            Assert.True(await items.MoveNextAsync());
            Assert.Equal(index, items.Current);
            if (index == 1)
            {
                runner.Host.Board.Open("more");
            }
        }

        await job.CancelAsync(Ct);
        Assert.Equal(JobState.Cancelled, (await job.WaitAsync(Ct)).State);
    }

    [Fact]
    public async Task A_cancellation_reaches_the_process_that_runs_the_job()
    {
        await using var web = await StartAsync(static jobs => jobs.Run = false);
        await using var runner = await StartAsync();
        var job = await web.Host.Reports.EnqueueAsync(reports => reports.Wait("never"), cancellationToken: Ct);

        // It is claimed a moment before it is started. News in between is not repeated here; a database's look repeats it.
        await UntilAsync(() => Task.FromResult(runner.Store.Listener!.Runs(new AttemptId(job.Id, 1))));
        await job.CancelAsync(Ct);
        Assert.Equal(JobState.Cancelled, (await job.WaitAsync(Ct)).State);
    }

    [Fact]
    public async Task A_kind_that_one_process_pauses_starts_in_none_until_it_is_resumed()
    {
        await using var web = await StartAsync(static jobs => jobs.Run = false);
        await using var runner = await StartAsync();
        await web.Host.Jobs.PauseAsync("Reports/Charge", Ct);
        Assert.True((await runner.Host.Jobs.KindsAsync(Ct)).Single(static kind => kind.Name == "Reports/Charge").IsPaused);
        var job = await web.Host.Reports.EnqueueAsync(reports => reports.Charge("acme", 1), cancellationToken: Ct);
        var other = await web.Host.Reports.EnqueueAsync(reports => reports.Build("acme", 2026), cancellationToken: Ct);
        await other.WaitAsync(Ct);
        Assert.Equal(JobState.Ready, (await job.GetAsync(Ct))!.State);
        await web.Host.Jobs.ResumeAsync("Reports/Charge", Ct);
        await job.WaitAsync(Ct);
    }

    [Fact]
    public async Task A_process_runs_only_the_kinds_that_it_is_for()
    {
        await using var some = await StartAsync(static jobs => jobs.Only = ["reports/b*", "Reports/Charge"]);
        Assert.Equal(["Reports/BriefOnLane", "Reports/Build", "Reports/Charge"], some.Store.Me!.Kinds.Select(static kind => kind.Kind).Order(StringComparer.Ordinal));
        var build = await some.Host.Reports.EnqueueAsync(reports => reports.Build("acme", 2026), cancellationToken: Ct);
        var flaky = await some.Host.Reports.EnqueueAsync(reports => reports.Flaky("one", 0), cancellationToken: Ct);
        var charge = await some.Host.Reports.EnqueueAsync(reports => reports.Charge("acme", 1), cancellationToken: Ct);
        await build.WaitAsync(Ct);
        await charge.WaitAsync(Ct);
        Assert.Equal(JobState.Ready, (await flaky.GetAsync(Ct))!.State);

        await using var all = await StartAsync();
        all.Store.Listener!.Ready(["Reports/Flaky"]);
        await flaky.WaitAsync(Ct);
    }

    [Fact]
    public async Task A_process_that_is_for_no_kind_runs_none()
    {
        await using var none = await StartAsync(static jobs => jobs.Only = []);
        var job = await none.Host.Reports.EnqueueAsync(reports => reports.Build("acme", 2026), cancellationToken: Ct);
        Assert.Empty(none.Store.Me!.Kinds);
        Assert.Equal(JobState.Ready, (await job.GetAsync(Ct))!.State);
    }

    [Fact]
    public async Task A_name_of_no_kind_in_Only_is_an_error_at_the_start()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(async () => await StartAsync(static jobs => jobs.Only = ["Reports/*", "Invoices/*"]));
        Assert.Contains("Weir:Jobs:Only has 'Invoices/*', and no kind fits it; the kinds are: ", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_process_that_accepts_no_jobs_refuses_them_and_runs_what_is_stored()
    {
        await using var old = await StartAsync(static jobs => jobs.Run = false);
        var job = await old.Host.Reports.EnqueueAsync(reports => reports.Build("acme", 2026), cancellationToken: Ct);
        await using var closing = await StartAsync(static jobs => jobs.Accept = false);
        await job.WaitAsync(Ct);
        var refused = await Assert.ThrowsAsync<CallRejectedException>(async () => await closing.Host.Reports.EnqueueAsync(reports => reports.Build("acme", 2026), cancellationToken: Ct));
        Assert.Equal(WeirCodes.JobsNotAccepted, refused.Code);
    }

    [Fact]
    public async Task What_a_lost_process_ran_is_run_again_where_it_may_run_twice_and_has_failed_where_not()
    {
        await using var gone = await StartAsync();
        var once = await gone.Host.Reports.EnqueueAsync(reports => reports.Wait("never"), cancellationToken: Ct);
        await UntilAsync(async () => (await once.GetAsync(Ct))!.State == JobState.Running);
        await using var other = await StartAsync();
        var lost = new LostAttempt(once.Id, "Reports/Wait", 1, 0);

        // Again and again, until it is written.
        other.Store.Listener!.Lost([lost, lost]);
        other.Store.Listener!.Lost([lost, new LostAttempt(Guid.NewGuid(), "Invoices/Send", 1, 0)]);
        var end = await other.Host.Jobs.Get(once.Id).WaitAsync(Ct);
        Assert.Equal((JobState.Failed, JobReason.Lost), (end.State, end.Reason));

        // It was not gone: what it brings counts, once.
        gone.Host.Board.Open("never");
        await UntilAsync(async () => (await once.GetAsync(Ct))!.State == JobState.Succeeded);
    }

    [Fact]
    public async Task A_stream_whose_items_were_refused_has_not_succeeded()
    {
        await using var gone = await StartAsync();
        await using var other = await StartAsync(static jobs => jobs.Run = false);
        var job = await gone.Host.Get<IJobs<IPatientClient>>().EnqueueAsync(patient => patient.Pages("rest"), cancellationToken: Ct);
        await UntilAsync(async () => (await job.GetAsync(Ct))!.Items == 1);
        other.Store.Listener!.Lost([new LostAttempt(job.Id, "Patient/Pages", 1, 1)]);
        await UntilAsync(async () => (await job.GetAsync(Ct))!.State == JobState.Failed);

        // It was not gone, and makes the rest. Its host waits for it.
        gone.Host.Board.Open("rest");
        await gone.DisposeAsync();
        var end = await other.Host.Jobs.Get(job.Id).GetAsync(Ct);
        Assert.Equal((JobState.Failed, JobReason.Lost, 1), (end!.State, end.Reason, end.Items));
    }

    [Fact]
    public async Task Without_a_lease_jobs_that_may_run_twice_are_stopped_and_wait_again_and_others_run_on()
    {
        await using var replica = await StartAsync();
        var again = await replica.Host.Get<IJobs<IPatientClient>>().EnqueueAsync(patient => patient.Again("again"), cancellationToken: Ct);
        var once = await replica.Host.Reports.EnqueueAsync(reports => reports.Wait("once"), cancellationToken: Ct);
        await UntilAsync(() => Task.FromResult(replica.Host.Board.Lines.Count == 1));
        await UntilAsync(async () => (await once.GetAsync(Ct))!.State == JobState.Running);
        replica.Store.Listener!.LeaseLost();
        await UntilAsync(() => Task.FromResult(replica.Host.Board.Lines.Count == 2));
        Assert.Equal(["again 1", "again 2"], replica.Host.Board.Lines);
        replica.Host.Board.Open("again");
        replica.Host.Board.Open("once");
        await again.WaitAsync(Ct);
        await once.WaitAsync(Ct);
    }

    [Fact]
    public async Task Who_submits_is_not_kept_waiting_by_a_store_that_does_not_answer_and_what_it_takes_in_the_end_runs()
    {
        var time = new ManualTime();
        await using var replica = await StartAsync(time: time);

        // The first claim is committed, and nothing more is to be done.
        await (await replica.Host.Reports.EnqueueAsync(reports => reports.Charge("acme", 0), cancellationToken: Ct)).WaitAsync(Ct);
        var hold = new TaskCompletionSource();
        replica.Store.Hold = hold.Task;
        try
        {
            var first = replica.Host.Reports.EnqueueAsync(reports => reports.Charge("acme", 1), cancellationToken: Ct).AsTask();
            await UntilAsync(() => Task.FromResult(replica.Store.Held == 1));
            var second = replica.Host.Reports.EnqueueAsync(reports => reports.Charge("acme", 2), cancellationToken: Ct).AsTask();

            // The store has the commit a moment before its time begins to count.
            await UntilAsync(() =>
            {
                time.Advance(TimeSpan.FromSeconds(10));
                return Task.FromResult(first.IsCompleted);
            });

            // The one may exist, the others do not.
            var unknown = await Assert.ThrowsAsync<JobOutcomeUnknownException>(() => first);
            Assert.Equal(WeirCodes.JobStoreUnavailable, (await Assert.ThrowsAsync<CallRejectedException>(() => second)).Code);
            Assert.Equal(
                WeirCodes.JobStoreUnavailable,
                (await Assert.ThrowsAsync<CallRejectedException>(async () => await replica.Host.Reports.EnqueueAsync(reports => reports.Charge("acme", 3), cancellationToken: Ct))).Code);

            replica.Store.Hold = Task.CompletedTask;
            hold.SetResult();
            await replica.Host.Jobs.Get(unknown.Id).WaitAsync(Ct);
            await (await replica.Host.Reports.EnqueueAsync(reports => reports.Charge("acme", 4), cancellationToken: Ct)).WaitAsync(Ct);
            Assert.Equal(["charge acme 0", "charge acme 1", "charge acme 4"], replica.Host.Board.Lines);
        }
        finally
        {
            hold.TrySetResult();
        }
    }

    [Fact]
    public async Task A_process_that_drains_leaves_before_its_jobs_have_ended()
    {
        await using var replica = await StartAsync(static jobs => jobs.DrainTimeout = TimeSpan.FromSeconds(10));
        var job = await replica.Host.Reports.EnqueueAsync(reports => reports.Wait("drain"), cancellationToken: Ct);
        await UntilAsync(async () => (await job.GetAsync(Ct))!.State == JobState.Running);
        var stopping = replica.Host.StopAsync();
        await UntilAsync(() => Task.FromResult(replica.Store.HasLeft));
        Assert.False(stopping.IsCompleted);
        replica.Host.Board.Open("drain");
        await stopping;
    }

    [Fact]
    public async Task A_store_without_transactions_refuses_a_submission_in_one()
    {
        await using var replica = await StartAsync();
        var refused = await Assert.ThrowsAsync<NotSupportedException>(async () => await replica.Host.Reports.In(new NoTransaction()).EnqueueAsync(reports => reports.Charge("acme", 1), cancellationToken: Ct));
        Assert.Contains("UsePostgreSql", refused.Message, StringComparison.Ordinal);
    }

    private async Task<Replica> StartAsync(Action<WeirJobsOptions>? configure = null, TimeProvider? time = null)
    {
        var store = _shared.Join();
        return new Replica(store, await JobsHost.StartAsync(jobs =>
        {
            configure?.Invoke(jobs);
            jobs.Store = _ => store;
        }, time: time));
    }

    private static async Task UntilAsync(Func<Task<bool>> condition)
    {
        var began = TimeProvider.System.GetTimestamp();
        while (!await condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(began) < TimeSpan.FromSeconds(60), "It never came to that.");
            await Task.Delay(5, Ct);
        }
    }

    private sealed record Replica(SharedMemory.Replica Store, JobsHost Host) : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => Host.DisposeAsync();
    }

    private sealed class NoTransaction : DbTransaction
    {
        public override System.Data.IsolationLevel IsolationLevel => System.Data.IsolationLevel.ReadCommitted;

        protected override DbConnection? DbConnection => null;

        public override void Commit()
        {
        }

        public override void Rollback()
        {
        }
    }
}
