using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Kinds that are paused: none of their jobs is claimed, and all else continues.</summary>
public abstract class JobPauseCompliance : JobLimitCompliance
{
    [Fact]
    public async Task A_job_of_a_kind_that_is_paused_is_not_claimed()
    {
        await AcceptAsync([Job("a"), Job("b"), Job("A")]);
        Assert.Empty((await PauseAsync("a")).ReadyKinds);
        var claim = await ClaimAsync(10, Of("a"), Of("b"), Of("A"));
        Assert.Equal(["b", "A"], Kinds(claim));
        Assert.Equal([false, true, true], claim.Kinds.Select(static kind => kind.IsEmpty));
    }

    [Fact]
    public async Task A_job_of_a_kind_that_is_paused_is_accepted_and_does_not_start()
    {
        await PauseAsync();
        var job = Job(starts: true);
        var batch = await CommitAsync(batch => batch.Jobs.Add(job));
        Assert.Null(job.Claimed);
        Assert.Equal([Kind], batch.ReadyKinds);
        Assert.Equal(new JobStatus { State = JobState.Ready, Due = Now }, (await FindAsync(job.Id)).Status);
        await PauseAsync(isPaused: false);
        Assert.Equal(job.Id, (await ClaimAsync()).Record.Id);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_pause_goes_before_all_that_starts_in_the_same_commit(bool isPaused)
    {
        await PauseAsync(isPaused: !isPaused);
        var (ready, starting, claim) = (await AcceptAsync(), Job(starts: true), Claim(5, Of(Kind)));
        await CommitAsync(batch =>
        {
            batch.Claims.Add(claim);
            batch.Jobs.Add(starting);
            batch.Pauses.Add(new KindPause(Kind, isPaused));
        });
        Assert.Equal(isPaused, starting.Claimed is null);
        Assert.Equal(isPaused ? [] : [ready.Id], Ids(claim));
    }

    [Fact]
    public async Task Jobs_that_run_are_ended_and_returned()
    {
        var (succeeds, returns, cancelled) = (await StartAsync(), await StartAsync(), await StartAsync());
        await PauseAsync();
        Assert.Equal(1, (await AppendAsync(succeeds, 1, Bytes("0"))).Count);
        await ActAsync(succeeds, JobEvent.Succeeded, fence: 1, payload: "result");
        var batch = await CommitAsync(batch => batch.Actions.Add(Action(returns, JobEvent.NotStarted, fence: 1)));
        Assert.Equal([Kind], batch.ReadyKinds);
        await ActAsync(cancelled, JobEvent.CancelAsked);
        await ActAsync(cancelled, JobEvent.Threw, fence: 1);
        Assert.Equal((JobState.Succeeded, JobState.Ready, JobState.Cancelled), (await StateAsync(succeeds), await StateAsync(returns), await StateAsync(cancelled)));
        Assert.Empty((await ClaimAsync(5, Of(Kind))).Jobs);
    }

    [Fact]
    public async Task Jobs_that_wait_become_due_and_expire()
    {
        var jobs = new[] { Job(due: Now.AddSeconds(1)), Job(expires: Now.AddSeconds(1)) };
        await AcceptAsync(jobs);
        await PauseAsync();
        var batch = await MoveAsync(Now.AddSeconds(1));
        Assert.Equal([Kind], batch.ReadyKinds);
        Assert.Equal([new ExpiredJob(jobs[1].Id, Kind)], batch.Expired);
        Assert.Equal((JobState.Ready, JobState.Expired), (await StateAsync(jobs[0].Id), await StateAsync(jobs[1].Id)));
    }

    [Fact]
    public async Task A_kind_that_is_resumed_is_ready_if_it_has_jobs_that_are()
    {
        await PauseAsync("a");
        await PauseAsync("b");
        await AcceptAsync([Job("a"), Job("b", due: Now.AddHours(1))]);
        Assert.Empty((await PauseAsync("b", isPaused: false)).ReadyKinds);
        Assert.Equal(["a"], (await PauseAsync("a", isPaused: false)).ReadyKinds);
        Assert.Equal(["a"], Kinds(await ClaimAsync(5, Of("a"), Of("b"))));
    }

    [Fact]
    public async Task A_pause_and_its_end_count_once()
    {
        var job = await AcceptAsync();
        await PauseAsync();
        await PauseAsync();
        Assert.Equal([Kind], (await PauseAsync(isPaused: false)).ReadyKinds);
        Assert.Empty((await PauseAsync(isPaused: false)).ReadyKinds);
        Assert.Equal(job.Id, (await ClaimAsync()).Record.Id);
    }

    [Fact]
    public async Task Of_several_pauses_in_one_commit_the_last_one_stays()
    {
        await AcceptAsync([Job("a"), Job("b")]);
        await PauseAsync("b");
        await CommitAsync(static batch => batch.Pauses.AddRange([new("a", true), new("b", false), new("a", false), new("b", true), new("a", true)]));
        Assert.Empty((await ClaimAsync(5, Of("a"), Of("b"))).Jobs);
        await CommitAsync(static batch => batch.Pauses.AddRange([new("a", false), new("a", true), new("a", false)]));
        Assert.Equal(["a"], Kinds(await ClaimAsync(5, Of("a"), Of("b"))));
    }

    [Fact]
    public async Task A_kind_of_which_there_was_no_job_can_be_paused()
    {
        await PauseAsync("new");
        Assert.Empty(await CountAsync());
        Assert.Empty(await Store.CountWaitingAsync(10, TestContext.Current.CancellationToken));
        var job = await AcceptAsync(Job("new", starts: true));
        Assert.Null(job.Claimed);
        Assert.Empty((await ClaimAsync(5, Of("new"))).Jobs);
        Assert.Empty((await PauseAsync("other", isPaused: false)).ReadyKinds);
        Assert.NotNull((await AcceptAsync(Job("other", starts: true))).Claimed);
    }

    [Theory]
    [InlineData(true, Kind)]
    [InlineData(false, Kind)]
    [InlineData(true, "new")]
    public async Task A_commit_that_failed_leaves_a_pause_as_it_was(bool isPaused, string kind)
    {
        var taken = await AcceptAsync();
        await PauseAsync(isPaused: !isPaused);
        await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(batch =>
        {
            batch.Pauses.AddRange([new KindPause(kind, isPaused), new KindPause("toggled", true), new KindPause("toggled", false)]);
            batch.Jobs.Add(new NewJob { Id = taken.Id, Kind = Kind, Signature = 1, Arguments = default, Submitted = Now, Due = Now });
        }));
        Assert.Equal(isPaused || kind != Kind ? [taken.Id] : [], Ids(await ClaimAsync(5, Of(Kind))));
        Assert.Equal(isPaused || kind != Kind, (await AcceptAsync(Job(kind, starts: true))).Claimed is not null);
        Assert.NotNull((await AcceptAsync(Job("toggled", starts: true))).Claimed);
    }
}
