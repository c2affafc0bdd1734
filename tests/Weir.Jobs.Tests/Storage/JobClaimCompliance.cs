using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Which jobs are claimed, and in which order: kinds, priorities and keys take turns.</summary>
public abstract class JobClaimCompliance : JobAcceptCompliance
{
    [Fact]
    public async Task A_claim_starts_the_job()
    {
        var job = await AcceptAsync(Job(key: "a"));
        var claimed = await ClaimAsync(now: Now.AddSeconds(3));
        Assert.Equal(new JobStatus { State = JobState.Running, Fence = 1, IsOpen = true, Starts = 1, Due = Now }, claimed.Record.Status);
        Assert.Equal(Now.AddSeconds(3), claimed.Record.Started);
        Same(claimed.Record, await FindAsync(job.Id));
        Same(job.Arguments, claimed.Arguments);
    }

    [Fact]
    public async Task A_job_is_claimed_once()
    {
        await AcceptAsync();
        Assert.Single((await ClaimAsync(5, Of(Kind))).Jobs);
        Assert.Empty((await ClaimAsync(5, Of(Kind))).Jobs);
    }

    [Fact]
    public async Task The_oldest_of_a_key_goes_first()
    {
        var jobs = Enumerable.Range(0, 20).Select(_ => Job(key: "a")).ToArray();
        await AcceptAsync(jobs[..10]);
        await AcceptAsync(jobs[10..]);
        Assert.Equal(Ids(jobs), Ids(await ClaimAsync(100, Of(Kind))));
    }

    [Fact]
    public async Task A_job_that_becomes_ready_again_goes_behind_those_of_its_key()
    {
        var first = await StartAsync();
        var second = await AcceptAsync();
        await ActAsync(first, JobEvent.NotStarted, fence: 1);
        Assert.Equal([second.Id, first], Ids(await ClaimAsync(2, Of(Kind))));
    }

    [Fact]
    public async Task Only_kinds_that_are_named_are_claimed()
    {
        await AcceptAsync([Job("a"), Job("b"), Job("B")]);
        Assert.Equal(["b"], Kinds(await ClaimAsync(10, Of("b"))));
        Assert.Empty((await ClaimAsync(10, Of("c"))).Jobs);
    }

    // ---- slots ----

    [Fact]
    public async Task Slots_are_not_exceeded()
    {
        await AcceptAsync(Enumerable.Range(0, 30).Select(index => Job(index % 2 == 0 ? "a" : "b", key: $"{index % 5}")));
        Assert.Equal(7, (await ClaimAsync(7, Of("a"), Of("b"))).Jobs.Count);
        Assert.Equal(["a", "b", "a", "b", "b"], Kinds(await ClaimAsync(100, Of("a", 2), Of("b", 3))));
        Assert.Empty((await ClaimAsync(0, Of("a"))).Jobs);
        Assert.Equal(["b"], Kinds(await ClaimAsync(1, Of("a", 0), Of("b"))));
    }

    [Fact]
    public async Task Slots_that_a_kind_does_not_need_go_to_others()
    {
        await AcceptAsync([Job("a"), Job("b"), Job("b"), Job("b")]);
        Assert.Equal(["a", "b", "b", "b"], Kinds(await ClaimAsync(4, Of("a"), Of("b"))));
    }

    [Fact]
    public async Task A_claim_says_whether_a_kind_has_more()
    {
        await AcceptAsync([Job("a"), Job("a"), Job("b"), Job("c", due: Now.AddHours(1))]);
        var claim = await ClaimAsync(3, Of("a", 1), Of("b"), Of("c"), Of("d"));
        Assert.Equal([false, true, true, true], claim.Kinds.Select(static kind => kind.IsEmpty));
        claim = await ClaimAsync(0, Of("a"));
        Assert.False(claim.Kinds[0].IsEmpty);
        claim = await ClaimAsync(1, Of("a"));
        Assert.True(claim.Kinds[0].IsEmpty);
    }

    [Fact]
    public async Task Several_claims_of_one_commit_share_nothing()
    {
        await AcceptAsync([Job("a"), Job("a"), Job("b")]);
        JobClaim[] claims = [Claim(1, Of("a")), Claim(5, Of("b"), Of("a"))];
        await CommitAsync(batch => batch.Claims.AddRange(claims));
        Assert.Equal(["a"], Kinds(claims[0]));
        Assert.Equal(["b", "a"], Kinds(claims[1]));
        Assert.Equal(3, claims.SelectMany(Ids).Distinct().Count());
        Assert.True(claims[1].Kinds[1].IsEmpty);
    }

    // ---- kinds ----

    [Fact]
    public async Task Kinds_take_turns_in_the_order_in_which_they_are_named()
    {
        await AcceptAsync([Job("a"), Job("a"), Job("a"), Job("b"), Job("c"), Job("c")]);
        Assert.Equal(["c", "a", "b", "c", "a", "a"], Kinds(await ClaimAsync(10, Of("c"), Of("a"), Of("b"))));
    }

    [Fact]
    public async Task A_priority_counts_only_within_its_kind()
    {
        await AcceptAsync([Job("a", priority: JobPriority.High), Job("a", priority: JobPriority.High), Job("b", priority: JobPriority.Low)]);
        Assert.Equal(["a", "b", "a"], Kinds(await ClaimAsync(3, Of("a"), Of("b"))));
    }

    // ---- priorities ----

    [Fact]
    public async Task Of_thirteen_starts_eight_are_of_high_four_of_normal_and_one_of_low_priority()
    {
        await AcceptAsync(Enumerable.Range(0, 26).SelectMany(_ => new[] { Job(priority: JobPriority.Low), Job(), Job(priority: JobPriority.High) }));
        var kind = Of(Kind);
        for (var round = 0; round < 2; round++)
        {
            var served = (await ClaimAsync(13, kind)).Jobs.Select(static job => job.Record.Priority).ToList();
            Assert.Equal("1 0 1 1 0 1 1 0 1 1 0 1 -1", string.Join(' ', served.Select(static priority => (int)priority)));
        }
    }

    [Fact]
    public async Task A_priority_without_jobs_leaves_its_turns_to_the_others()
    {
        await AcceptAsync(Enumerable.Range(0, 20).SelectMany(_ => new[] { Job(priority: JobPriority.Low), Job(priority: JobPriority.High) }));
        var served = (await ClaimAsync(18, Of(Kind))).Jobs.Select(static job => job.Record.Priority).ToList();
        Assert.Equal(16, served.Count(static priority => priority == JobPriority.High));
        Assert.Equal(JobPriority.Low, served[8]);
        Assert.All((await ClaimAsync(40, Of(Kind))).Jobs.Skip(4 + 1), static job => Assert.Equal(JobPriority.Low, job.Record.Priority));
    }

    [Fact]
    public async Task A_low_priority_alone_has_all_starts()
    {
        await AcceptAsync(Enumerable.Range(0, 20).Select(_ => Job(priority: JobPriority.Low)));
        Assert.Equal(20, (await ClaimAsync(20, Of(Kind))).Jobs.Count);
    }

    [Fact]
    public async Task Keys_take_turns_within_a_priority()
    {
        await AcceptAsync([Job(key: "a"), Job(key: "a", priority: JobPriority.High), Job(key: "b", priority: JobPriority.High), Job(key: "a", priority: JobPriority.High), Job(key: "b")]);
        var claim = await ClaimAsync(10, Of(Kind));
        Assert.Equal([("a", JobPriority.High), ("a", JobPriority.Normal), ("b", JobPriority.High), ("a", JobPriority.High), ("b", JobPriority.Normal)], claim.Jobs.Select(static job => (job.Record.Key, job.Record.Priority)));
    }

    [Fact]
    public async Task The_turns_of_priorities_go_on_with_the_next_claim()
    {
        await AcceptAsync(Enumerable.Range(0, 20).SelectMany(_ => new[] { Job(priority: JobPriority.Low), Job(), Job(priority: JobPriority.High) }));
        var (kind, served) = (Of(Kind), new List<int>());
        foreach (var slots in new[] { 1, 5, 3, 1, 3, 13 })
        {
            served.AddRange((await ClaimAsync(slots, kind)).Jobs.Select(static job => (int)job.Record.Priority));
        }

        Assert.Equal("1 0 1 1 0 1 1 0 1 1 0 1 -1 1 0 1 1 0 1 1 0 1 1 0 1 -1", string.Join(' ', served));
    }

    [Fact]
    public async Task The_turns_of_a_kind_go_on_where_another_claim_says()
    {
        await AcceptAsync(Enumerable.Range(0, 9).SelectMany(_ => new[] { Job(), Job(priority: JobPriority.High) }));
        var first = Of(Kind);
        await ClaimAsync(4, first);
        Assert.Equal(4, first.Turn.Number);
        var second = new KindClaim { Kind = Kind, Slots = 4, Turn = first.Turn };
        Assert.Equal([0, 1, 1, 0], (await ClaimAsync(4, second)).Jobs.Select(static job => (int)job.Record.Priority));
    }

    [Fact]
    public async Task Each_priority_remembers_its_own_key()
    {
        foreach (var priority in new[] { JobPriority.High, JobPriority.Normal, JobPriority.Low })
        {
            await AcceptAsync([Job(key: "a", priority: priority), Job(key: "b", priority: priority), Job(key: "c", priority: priority)]);
        }

        var kind = Of(Kind);
        Assert.Equal(["1a", "0a", "1b"], Served(await ClaimAsync(3, kind)));
        Assert.Equal(("b", "a", null), (kind.Turn.High, kind.Turn.Normal, kind.Turn.Low));
        Assert.Equal(["1c", "0b", "0c", "-1a", "-1b"], Served(await ClaimAsync(5, kind)));
        Assert.Equal(("c", "c", "b"), (kind.Turn.High, kind.Turn.Normal, kind.Turn.Low));

        // And each goes round by itself.
        await AcceptAsync([Job(key: "d", priority: JobPriority.High), Job(key: "a", priority: JobPriority.High), Job(key: "b", priority: JobPriority.Low)]);
        Assert.Equal(["1d", "1a", "-1c", "-1b"], Served(await ClaimAsync(10, kind)));

        static IEnumerable<string> Served(JobClaim claim) => claim.Jobs.Select(static job => $"{(int)job.Record.Priority}{job.Record.Key}");
    }

    // ---- keys ----

    [Fact]
    public async Task Keys_take_turns_in_ordinal_order()
    {
        await AcceptAsync(WithKeys("b", "a", "b", "Z", "a", "", "aa", "ä", "🌊"));
        Assert.Equal(["", "Z", "a", "aa", "b", "ä", "🌊", "a", "b"], Keys(await ClaimAsync(10, Of(Kind))));
    }

    [Theory]
    [InlineData(null, "a,b,c,d")]
    [InlineData("", "a,b,c,d")]
    [InlineData("a", "b,c,d,a")]
    [InlineData("aa", "b,c,d,a")]
    [InlineData("c", "d,a,b,c")]
    [InlineData("d", "a,b,c,d")]
    [InlineData("z", "a,b,c,d")]
    [InlineData("🌊", "a,b,c,d")]
    public async Task A_claim_begins_with_the_key_after_the_one_that_was_served_last(string? after, string expected)
    {
        await AcceptAsync(WithKeys("d", "b", "a", "c"));
        Assert.Equal(expected, string.Join(',', Keys(await ClaimAsync(10, Of(Kind, afterKey: after)))));
    }

    [Fact]
    public async Task A_claim_moves_the_key_to_the_one_that_was_served_last()
    {
        await AcceptAsync(WithKeys("a", "b", "c", "a", "b", "c"));
        var kind = Of(Kind);
        var served = new List<string>();
        for (var claims = 0; claims < 3; claims++)
        {
            var claim = await ClaimAsync(2, kind);
            served.AddRange(Keys(claim));
            Assert.Equal(served[^1], kind.Turn.Normal);
        }

        Assert.Equal(["a", "b", "c", "a", "b", "c"], served);
        await ClaimAsync(2, kind);
        Assert.Equal("c", kind.Turn.Normal);
    }

    [Fact]
    public async Task Jobs_without_a_key_take_turns_as_one_key()
    {
        await AcceptAsync(WithKeys("", "", "a", ""));
        Assert.Equal(["", "a", "", ""], Keys(await ClaimAsync(10, Of(Kind))));
        await AcceptAsync(WithKeys("", "a"));
        Assert.Equal(["a", ""], Keys(await ClaimAsync(10, Of(Kind, afterKey: ""))));
    }

    [Fact]
    public async Task Ten_thousand_jobs_of_a_tenant_do_not_delay_the_first_of_another()
    {
        for (var commit = 0; commit < 10; commit++)
        {
            await AcceptAsync(Enumerable.Range(0, 1_000).Select(_ => Job(key: "large")));
        }

        var kind = Of(Kind);
        Assert.Equal(["large", "large"], Keys(await ClaimAsync(2, kind)));
        await AcceptAsync([Job(key: "small"), Job(key: "a")]);
        Assert.Equal(["small", "a", "large"], Keys(await ClaimAsync(3, kind)));
        Assert.False(kind.IsEmpty);
    }

    [Fact]
    public async Task Ten_thousand_keys_are_served_once_each_before_any_is_served_again()
    {
        for (var commit = 0; commit < 20; commit++)
        {
            var first = commit * 1_000 % 10_000;
            await AcceptAsync(Enumerable.Range(first, 1_000).Select(number => Job(key: $"{number:D5}")));
        }

        var (kind, served) = (Of(Kind), new List<string>());
        while (!kind.IsEmpty)
        {
            served.AddRange(Keys(await ClaimAsync(1_000, kind)));
        }

        var keys = Enumerable.Range(0, 10_000).Select(static number => $"{number:D5}").ToArray();
        Assert.Equal([.. keys, .. keys], served);
    }

    [Fact]
    public async Task A_job_that_was_cancelled_or_expired_is_not_claimed()
    {
        var jobs = Enumerable.Range(0, 6).Select(index => Job(key: index < 3 ? "a" : "b")).ToArray();
        await AcceptAsync(jobs);
        await ActAsync(jobs[0].Id, JobEvent.CancelAsked);
        await ActAsync(jobs[4].Id, JobEvent.Expired);
        Assert.Equal([jobs[1].Id, jobs[3].Id, jobs[2].Id, jobs[5].Id], Ids(await ClaimAsync(10, Of(Kind))));
    }

    // ---- the order of a commit ----

    [Fact]
    public async Task An_outcome_goes_before_the_claim_of_the_same_commit()
    {
        var job = await StartAsync();
        var claim = Claim(1, Of(Kind));
        var batch = await CommitAsync(batch =>
        {
            batch.Claims.Add(claim);
            batch.Actions.Add(Action(job, JobEvent.NotStarted, fence: 1));
        });
        Assert.Equal(2, Assert.Single(claim.Jobs).Record.Status.Fence);
        Assert.Equal([Kind], batch.ReadyKinds);
    }

    [Fact]
    public async Task A_job_that_is_accepted_may_be_claimed_in_the_same_commit()
    {
        var (job, claim) = (Job(), Claim(1, Of(Kind)));
        var batch = await CommitAsync(batch =>
        {
            batch.Jobs.Add(job);
            batch.Claims.Add(claim);
        });
        Assert.Equal(job.Id, Assert.Single(claim.Jobs).Record.Id);
        Assert.Equal([Kind], batch.ReadyKinds);
        Assert.True(claim.Kinds[0].IsEmpty);
    }

    [Fact]
    public async Task A_job_that_becomes_due_goes_behind_what_is_accepted_and_may_be_claimed_in_the_same_commit()
    {
        var (due, accepted, claim) = (await AcceptAsync(Job(due: Now.AddSeconds(1))), Job(), Claim(2, Of(Kind)));
        var batch = await CommitAsync(
            batch =>
            {
                batch.MovesDue = true;
                batch.Jobs.Add(accepted);
                batch.Claims.Add(claim);
            },
            Now.AddSeconds(1));
        Assert.Equal([accepted.Id, due.Id], Ids(claim));
        Assert.Null(batch.NextDue);
    }

    [Fact]
    public async Task A_cancellation_goes_before_the_claim_of_the_same_commit()
    {
        var (job, claim) = ((await AcceptAsync()).Id, Claim(1, Of(Kind)));
        await CommitAsync(batch =>
        {
            batch.Claims.Add(claim);
            batch.Actions.Add(Action(job, JobEvent.CancelAsked));
        });
        Assert.Empty(claim.Jobs);
        Assert.Equal(JobState.Cancelled, await StateAsync(job));
    }

    [Fact]
    public async Task Items_and_progress_go_before_the_outcome_of_the_same_commit()
    {
        var job = await StartAsync();
        var items = new NewItems { Id = job, Fence = 1, Items = [Bytes("0")] };
        await CommitAsync(batch =>
        {
            batch.Actions.Add(Action(job, JobEvent.Succeeded, fence: 1, payload: "result"));
            batch.Progress.Add(new NewProgress(job, 1, new JobProgress(1, "done")));
            batch.Items.Add(items);
        });
        Assert.Equal((JobVerdict.Applied, 1), (items.Verdict, items.Count));
        var record = await FindAsync(job);
        Assert.Equal((JobState.Succeeded, 1, new JobProgress(1, "done")), (record.Status.State, record.Items, record.Progress));
    }

    [Fact]
    public async Task Events_of_one_job_are_applied_in_their_order()
    {
        var job = await StartAsync();
        JobAction[] actions =
        [
            Action(job, JobEvent.TimedOut), Action(job, JobEvent.CancelAsked), Action(job, JobEvent.TimedOut), Action(job, JobEvent.Threw, fence: 1),
            Action(job, JobEvent.RetriedByHand), Action(job, JobEvent.CancelAsked), Action(job, JobEvent.Purged), Action(job, JobEvent.CancelAsked),
        ];
        await CommitAsync(batch => batch.Actions.AddRange(actions));
        Assert.Equal(
            [
                JobVerdict.Applied, JobVerdict.Applied, JobVerdict.NoChange, JobVerdict.Applied,
                JobVerdict.Applied, JobVerdict.Applied, JobVerdict.Gone, JobVerdict.Refused,
            ],
            actions.Select(static action => action.Change.Verdict));
        Assert.Null(actions[^1].Before);
        Assert.Null(await TryFindAsync(job));
    }
}
