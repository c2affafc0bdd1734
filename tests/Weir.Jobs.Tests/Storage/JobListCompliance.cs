using Weir.Jobs.Rules;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Lists and counts.</summary>
public abstract class JobListCompliance : JobClaimCompliance
{
    [Fact]
    public async Task An_empty_store_lists_and_counts_nothing()
    {
        Assert.Empty(await ListAsync(new JobQuery()));
        Assert.Empty(await CountAsync());
        Assert.Null(await TryFindAsync(NextId()));
        Assert.Null(await Store.FindCallAsync(NextId(), TestContext.Current.CancellationToken));
        Assert.Empty(Content.Lost);
        Assert.Empty(Content.ReadyKinds);
        Assert.Null(Content.NextDue);
        Assert.NotEmpty(Store.Description);
    }

    [Fact]
    public async Task The_last_submitted_is_listed_first()
    {
        var jobs = await SubmitAsync(5);
        Assert.Equal(jobs.Reverse(), await IdsAsync(new JobQuery()));
        Assert.Equal(jobs.Reverse().Take(2), await IdsAsync(new JobQuery { Limit = 2 }));
    }

    [Fact]
    public async Task Pages_have_every_job_once()
    {
        var jobs = await SubmitAsync(25);
        var (listed, before) = (new List<Guid>(), (Guid?)null);
        while (await IdsAsync(new JobQuery { Limit = 10, Before = before }) is { Count: > 0 } page)
        {
            listed.AddRange(page);
            before = page[^1];
        }

        Assert.Equal(jobs.Reverse(), listed);
    }

    [Fact]
    public async Task Pages_have_every_job_once_that_was_submitted_at_the_same_time()
    {
        var jobs = Enumerable.Range(0, 25).Select(_ => Job()).ToArray();
        await AcceptAsync(jobs);
        var (listed, before) = (new List<Guid>(), (Guid?)null);
        while (await IdsAsync(new JobQuery { Limit = 7, Before = before }) is { Count: > 0 } page)
        {
            listed.AddRange(page);
            before = page[^1];
        }

        Assert.Equal(25, listed.Count);
        Assert.Equal(jobs.Select(static job => job.Id).Order(), listed.Order());
    }

    [Fact]
    public async Task Jobs_that_are_submitted_between_two_pages_do_not_move_them()
    {
        var jobs = await SubmitAsync(4);
        Assert.Equal([jobs[3], jobs[2]], await IdsAsync(new JobQuery { Limit = 2 }));
        await AcceptAsync(Job(submitted: Now.AddHours(1)));
        Assert.Equal([jobs[1], jobs[0]], await IdsAsync(new JobQuery { Limit = 2, Before = jobs[2] }));
        Assert.Empty(await IdsAsync(new JobQuery { Before = jobs[0] }));
    }

    [Fact]
    public async Task A_page_before_a_job_that_does_not_exist_is_empty()
    {
        await SubmitAsync(2);
        Assert.Empty(await IdsAsync(new JobQuery { Before = NextId() }));
    }

    [Fact]
    public async Task A_list_has_the_jobs_that_meet_all_conditions()
    {
        var jobs = new[]
        {
            Job("a", key: "x", submitted: Now.AddTicks(1)), Job("a", key: "y", submitted: Now.AddTicks(2)),
            Job("b", key: "x", submitted: Now.AddTicks(3)), Job("a", key: "x", submitted: Now.AddTicks(4), due: Now.AddHours(1)), Job("a", submitted: Now.AddTicks(5)),
        };
        await AcceptAsync(jobs);
        Assert.Equal([4, 3, 1, 0], await WhichAsync(new JobQuery { Kind = "a" }));
        Assert.Equal([3, 2, 0], await WhichAsync(new JobQuery { Key = "x" }));
        Assert.Equal([4], await WhichAsync(new JobQuery { Key = "" }));
        Assert.Equal([4, 2, 1, 0], await WhichAsync(new JobQuery { State = JobState.Ready }));
        Assert.Equal([3], await WhichAsync(new JobQuery { State = JobState.Scheduled }));
        Assert.Equal([0], await WhichAsync(new JobQuery { Kind = "a", Key = "x", State = JobState.Ready }));
        Assert.Equal([0], await WhichAsync(new JobQuery { Kind = "a", Key = "x", Before = jobs[3].Id }));
        Assert.Equal([1], await WhichAsync(new JobQuery { Kind = "a", Before = jobs[2].Id, Limit = 1 }));
        Assert.Empty(await WhichAsync(new JobQuery { Kind = "A" }));
        Assert.Empty(await WhichAsync(new JobQuery { State = JobState.Failed }));

        async Task<IEnumerable<int>> WhichAsync(JobQuery query) => (await IdsAsync(query)).Select(id => Array.FindIndex(jobs, job => job.Id == id));
    }

    [Fact]
    public async Task A_list_has_the_records_of_its_jobs()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("0"));
        await CommitAsync(batch => batch.Progress.Add(new(job, 1, new JobProgress(0.5, "half"))));
        await ActAsync(job, JobEvent.Threw, fence: 1, payload: "threw");
        Same(await FindAsync(job), Assert.Single(await ListAsync(new JobQuery())));
    }

    [Fact]
    public async Task Jobs_are_counted_by_kind_and_state()
    {
        var jobs = new[] { Job("a"), Job("a"), Job("a", due: Now.AddHours(1)), Job("b", starts: true), Job("b", starts: true), Job("b", starts: true), Job("b", starts: true) };
        await AcceptAsync(jobs);
        await ActAsync(jobs[0].Id, JobEvent.CancelAsked);
        await ActAsync(jobs[3].Id, JobEvent.Succeeded, fence: 1);
        await ActAsync(jobs[4].Id, JobEvent.Threw, fence: 1);
        await ActAsync(jobs[2].Id, JobEvent.Expired);
        Assert.Equal(
            [
                new("a", JobState.Ready, 1), new("a", JobState.Cancelled, 1), new("a", JobState.Expired, 1),
                new("b", JobState.Running, 2), new("b", JobState.Succeeded, 1), new JobCount("b", JobState.Failed, 1),
            ],
            await CountAsync());
    }

    [Fact]
    public async Task More_than_ten_thousand_are_counted_as_ten_thousand_and_one()
    {
        for (var commit = 0; commit < 11; commit++)
        {
            await AcceptAsync(Enumerable.Range(0, 1_000).Select(_ => Job("a")));
        }

        await AcceptAsync(Job("b"));
        Assert.Equal([new("a", JobState.Ready, 10_001), new JobCount("b", JobState.Ready, 1)], await CountAsync());
    }

    private async Task<List<Guid>> IdsAsync(JobQuery query) => [.. (await ListAsync(query)).Select(static record => record.Id)];

    private async Task<Guid[]> SubmitAsync(int count)
    {
        var ids = new Guid[count];
        for (var index = 0; index < count; index++)
        {
            ids[index] = (await AcceptAsync(Job(submitted: Now.AddTicks(index)))).Id;
        }

        return ids;
    }
}
