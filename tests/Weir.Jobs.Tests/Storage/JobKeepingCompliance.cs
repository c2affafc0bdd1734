using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>What a store says to those who keep it small: which jobs have ended, and how many wait since when.</summary>
public abstract class JobKeepingCompliance : JobScheduleCompliance
{
    // ---- ended ----

    [Fact]
    public async Task All_jobs_that_have_ended_are_read_in_parts_in_the_order_of_their_submission()
    {
        var jobs = Enumerable.Range(0, 3_500).Select(index => Job(index % 3 == 0 ? "a" : "b", key: $"{index % 7}")).ToArray();
        await AcceptAsync(jobs);

        // The last submitted end first. Every seventh waits, and so do 300 in a row.
        var ended = jobs.Where(static (_, index) => index % 7 != 0 && index is not (>= 1_100 and < 1_400)).ToArray();
        await CommitAsync(batch => batch.Actions.AddRange(ended.Reverse().Select(static job => Action(job.Id, JobEvent.CancelAsked))), Now.AddTicks(7));
        var (all, parts) = (new List<EndedJob>(), 0);
        for (long? after = 0; after is { } from; parts++)
        {
            var part = await Store.ReadEndedAsync(from, TestContext.Current.CancellationToken);
            Assert.InRange(part.Jobs.Count, 0, 1_000);
            Assert.True(part.Next is null || part.Next > from);
            all.AddRange(part.Jobs);
            after = part.Next;
        }

        Assert.Equal(ended.Select(static job => new EndedJob(job.Id, JobState.Cancelled, Now.AddTicks(7), false)), all);
        Assert.True(parts >= 3);
    }

    [Fact]
    public async Task What_is_purged_between_two_parts_moves_none_of_the_rest()
    {
        var jobs = Enumerable.Range(0, 2_500).Select(_ => Job()).ToArray();
        await AcceptAsync(jobs);
        await CommitAsync(batch => batch.Actions.AddRange(jobs.Select(static job => Action(job.Id, JobEvent.CancelAsked))));
        var all = new List<Guid>();
        for (long? after = 0; after is { } from;)
        {
            var part = await Store.ReadEndedAsync(from, TestContext.Current.CancellationToken);
            all.AddRange(part.Jobs.Select(static job => job.Id));
            await CommitAsync(batch => batch.Actions.AddRange(part.Jobs.Select(static job => Action(job.Id, JobEvent.Purged))));
            after = part.Next;
        }

        Assert.Equal(Ids(jobs), all);
        Assert.Empty(await EndedAsync(Store));
        Assert.Empty(await CountAsync());
    }

    [Fact]
    public async Task How_and_when_a_job_ended_is_read_and_others_are_not()
    {
        Assert.Empty(await EndedAsync(Store));
        var jobs = new[] { Job(starts: true), Job(starts: true), Job(), Job(), Job(due: Now.AddDays(1)), Job(), Job(starts: true) };
        await AcceptAsync(jobs);
        await ActAsync(jobs[0].Id, JobEvent.Succeeded, fence: 1, now: Now.AddSeconds(1));
        await ActAsync(jobs[1].Id, JobEvent.Threw, fence: 1, now: Now.AddSeconds(2));
        await ActAsync(jobs[2].Id, JobEvent.CancelAsked, now: Now.AddSeconds(3));
        await ActAsync(jobs[3].Id, JobEvent.Expired, now: Now.AddSeconds(4));
        Assert.Equal(
            [
                new(jobs[0].Id, JobState.Succeeded, Now.AddSeconds(1), false), new(jobs[1].Id, JobState.Failed, Now.AddSeconds(2), false),
                new(jobs[2].Id, JobState.Cancelled, Now.AddSeconds(3), false), new EndedJob(jobs[3].Id, JobState.Expired, Now.AddSeconds(4), false),
            ],
            await EndedAsync(Store));

        // One that is begun again has not ended, and keeps its place when it has.
        await ActAsync(jobs[1].Id, JobEvent.RetriedByHand);
        Assert.Equal([jobs[0].Id, jobs[2].Id, jobs[3].Id], (await EndedAsync(Store)).Select(static job => job.Id));
        await ActAsync(jobs[1].Id, JobEvent.CancelAsked);
        Assert.Equal([jobs[0].Id, jobs[1].Id, jobs[2].Id, jobs[3].Id], (await EndedAsync(Store)).Select(static job => job.Id));
    }

    [Theory]
    [InlineData(null, JobUniqueness.Retention, false)]
    [InlineData(null, JobUniqueness.Ended, false)]
    [InlineData("k", JobUniqueness.Retention, true)]
    [InlineData("k", JobUniqueness.Ended, false)]
    public async Task Whether_a_job_that_has_ended_holds_its_idempotency_key_is_read(string? key, JobUniqueness until, bool holds)
    {
        var job = await AcceptAsync(Job(idempotencyKey: key, uniqueUntil: until));
        await ActAsync(job.Id, JobEvent.CancelAsked);
        Assert.Equal(holds, Assert.Single(await EndedAsync(Store)).HoldsKey);
    }

    // ---- waiting ----

    [Fact]
    public async Task Jobs_that_wait_are_counted_by_kind()
    {
        Assert.Empty(await WaitingAsync(10));
        await AcceptAsync([Job("a"), Job("a", due: Now.AddHours(1)), Job("a", starts: true), Job("b", starts: true), Job("c", due: Now.AddHours(1)), Job("d")]);
        await ActAsync((await AcceptAsync(Job("e"))).Id, JobEvent.CancelAsked);
        Assert.Equal([new("a", 2, Now), new("c", 1, null), new WaitingJobs("d", 1, Now)], await WaitingAsync(10));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(10)]
    public async Task Jobs_that_wait_are_counted_to_a_limit(long most)
    {
        await AcceptAsync([.. Enumerable.Range(0, 5).Select(_ => Job("a", due: Now.AddHours(1))), .. Enumerable.Range(0, 4).Select(_ => Job("a")), .. Enumerable.Range(0, 5).Select(_ => Job("b"))]);
        Assert.Equal([new("a", Math.Min(9, most), Now), new WaitingJobs("b", Math.Min(5, most), Now)], await WaitingAsync(most));
    }

    [Fact]
    public async Task The_oldest_is_the_one_that_was_submitted_first_of_those_that_are_ready()
    {
        var jobs = new[]
        {
            Job(due: Now.AddHours(1)), Job(due: Now.AddSeconds(-10), key: "z", priority: JobPriority.Low), Job(due: Now.AddSeconds(-50), key: "a", priority: JobPriority.High), Job(due: Now.AddSeconds(-1)),
        };
        await AcceptAsync(jobs);
        Assert.Equal(Now.AddSeconds(-10), await OldestAsync());
        await ActAsync(jobs[1].Id, JobEvent.CancelAsked);
        Assert.Equal(Now.AddSeconds(-50), await OldestAsync());
        await ClaimAsync();
        Assert.Equal(Now.AddSeconds(-1), await OldestAsync());
        await ClaimAsync();
        Assert.Null(await OldestAsync());

        // The first one is that of all, as soon as it is ready.
        await AcceptAsync();
        await MoveAsync(Now.AddHours(1));
        Assert.Equal(Now.AddHours(1), await OldestAsync());

        async Task<DateTimeOffset?> OldestAsync() => Assert.Single(await WaitingAsync(1)).OldestDue;
    }

    private async Task<List<WaitingJobs>> WaitingAsync(long most) =>
        [.. (await Store.CountWaitingAsync(most, TestContext.Current.CancellationToken)).OrderBy(static kind => kind.Kind, StringComparer.Ordinal)];
}
