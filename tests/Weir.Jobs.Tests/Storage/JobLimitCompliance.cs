using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>How many jobs of a key, and of a kind, run at once: what runs is counted when a job is claimed, and keys without room are passed over.</summary>
public abstract class JobLimitCompliance : JobListCompliance
{
    // ---- by key ----

    [Theory]
    [InlineData(0, "")]
    [InlineData(1, "a b c")]
    [InlineData(2, "a b c a b")]
    [InlineData(3, "a b c a b a")]
    [InlineData(int.MaxValue, "a b c a b a")]
    public async Task No_more_jobs_of_a_key_run_than_may(int most, string expected)
    {
        await AcceptAsync(WithKeys("a", "a", "a", "b", "b", "c"));
        var claim = await ClaimAsync(10, Of(Kind, maxPerKey: most));
        Assert.Equal(expected, string.Join(' ', Keys(claim)));
        Assert.Equal(most >= 3, claim.Kinds[0].IsEmpty);
        Assert.Empty((await ClaimAsync(10, Of(Kind, maxPerKey: most))).Jobs);
    }

    [Fact]
    public async Task A_key_without_room_is_passed_over_until_one_of_its_jobs_ends()
    {
        var running = await AcceptAsync(Job(key: "a", starts: true));
        var waiting = WithKeys("a", "a", "b").ToArray();
        await AcceptAsync(waiting);
        Assert.Equal([waiting[2].Id], Ids(await ClaimAsync(10, Of(Kind, maxPerKey: 1))));
        await ActAsync(running.Id, JobEvent.Succeeded, fence: 1);
        Assert.Equal([waiting[0].Id], Ids(await ClaimAsync(10, Of(Kind, maxPerKey: 1))));
    }

    [Theory]
    [InlineData(null, "a c e")]
    [InlineData("a", "c e a")]
    [InlineData("b", "c e a")]
    [InlineData("bb", "c e a")]
    [InlineData("c", "e a c")]
    [InlineData("d", "e a c")]
    [InlineData("e", "a c e")]
    [InlineData("z", "a c e")]
    public async Task A_claim_goes_round_past_keys_without_room(string? after, string expected)
    {
        await AcceptAsync([Job(key: "b", starts: true), Job(key: "d", starts: true), .. WithKeys("d", "c", "a", "b", "e", "b", "d")]);
        var kind = Of(Kind, afterKey: after, maxPerKey: 1);
        Assert.Equal(expected, string.Join(' ', Keys(await ClaimAsync(10, kind))));
        Assert.Equal(expected[^1..], kind.Turn.Normal);
        Assert.False(kind.IsEmpty);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("b")]
    [InlineData("c")]
    [InlineData("z")]
    public async Task The_only_key_that_has_room_is_found(string? after)
    {
        await AcceptAsync([Job(key: "a", starts: true), Job(key: "b", starts: true), Job(key: "d", starts: true), .. WithKeys("a", "b", "c", "d")]);
        Assert.Equal(["c"], Keys(await ClaimAsync(10, Of(Kind, afterKey: after, maxPerKey: 1))));
    }

    [Fact]
    public async Task A_claim_that_starts_nothing_does_not_move_the_turns()
    {
        await AcceptAsync([Job(key: "a", starts: true), Job(key: "a"), Job(key: "a", priority: JobPriority.High)]);
        var kind = new KindClaim { Kind = Kind, Slots = 5, Limits = new KindLimits(1, null), Turn = new JobTurn(7, "x", "y", null) };
        Assert.Empty((await ClaimAsync(5, kind)).Jobs);
        Assert.Equal(new JobTurn(7, "x", "y", null), kind.Turn);
        Assert.False(kind.IsEmpty);
    }

    [Fact]
    public async Task Jobs_without_a_key_are_limited_as_one_key()
    {
        await AcceptAsync(WithKeys("", "", "a", ""));
        Assert.Equal(["", "a"], Keys(await ClaimAsync(10, Of(Kind, maxPerKey: 1))));
        Assert.Equal([""], Keys(await ClaimAsync(10, Of(Kind, maxPerKey: 2))));
    }

    [Fact]
    public async Task The_same_key_of_another_kind_is_another_one()
    {
        await AcceptAsync([Job("a", key: "k", starts: true), Job("b", key: "k"), Job("b", key: "k"), Job("a", key: "k")]);
        Assert.Equal(["b"], Kinds(await ClaimAsync(10, Of("a", maxPerKey: 1), Of("b", maxPerKey: 1))));
    }

    [Fact]
    public async Task Ten_thousand_keys_are_served_although_half_of_them_have_no_room()
    {
        for (var commit = 0; commit < 20; commit++)
        {
            var first = commit * 1_000 % 10_000;
            await AcceptAsync(Enumerable.Range(first, 1_000).Select(number => Job(key: $"{number:D5}")));
        }

        // 1. Every second key has no room: its first job runs.
        var keys = Enumerable.Range(0, 10_000).Select(static number => $"{number:D5}").ToArray();
        var kind = Of(Kind, maxPerKey: 1);
        var first5000 = await ClaimAsync(5_000, kind);
        Assert.Equal(keys[..5_000], Keys(first5000));
        var ended = first5000.Jobs.Where(static (_, index) => index % 2 == 0).ToArray();
        await CommitAsync(batch => batch.Actions.AddRange(ended.Select(static job => Action(job.Record.Id, JobEvent.Succeeded, fence: 1))));

        // 2. From the first key on, past those without room, and round.
        var again = Of(Kind, maxPerKey: 1);
        Assert.Equal([.. ended.Select(static job => job.Record.Key), .. keys[5_000..]], Keys(await ClaimAsync(20_000, again)));
        Assert.Empty((await ClaimAsync(20_000, again)).Jobs);
        Assert.False(again.IsEmpty);
    }

    [Fact]
    public async Task A_limit_holds_whatever_the_characters_of_a_key_are()
    {
        string[] keys = ["\0", "\u0001", "\u0001\u0001", "\"", "\\", "{}", " ", "ä", "名", "\uE000", "\uFFFF", "😀"];
        await AcceptAsync(WithKeys([.. keys, .. keys]));
        var first = await ClaimAsync(100, Of(Kind, maxPerKey: 1));
        Assert.Equal(keys.Order(StringComparer.Ordinal), Keys(first).Order(StringComparer.Ordinal));

        // They run: a claim has none of them, and one of each that has ended.
        Assert.Empty((await ClaimAsync(100, Of(Kind, maxPerKey: 1))).Jobs);
        await CommitAsync(batch => batch.Actions.AddRange(first.Jobs.Take(5).Select(static job => Action(job.Record.Id, JobEvent.Succeeded, fence: 1))));
        Assert.Equal(Keys(first).Take(5).Order(StringComparer.Ordinal), Keys(await ClaimAsync(100, Of(Kind, maxPerKey: 1))).Order(StringComparer.Ordinal));
    }

    // ---- what counts ----

    [Fact]
    public async Task What_another_claim_of_the_same_commit_has_started_counts()
    {
        await AcceptAsync(WithKeys("a", "a", "b", "b", "c"));
        JobClaim[] claims = [Claim(1, Of(Kind, maxPerKey: 1)), Claim(1, Of(Kind, maxPerKey: 1)), Claim(5, Of(Kind, maxPerKey: 1))];
        await CommitAsync(batch => batch.Claims.AddRange(claims));
        Assert.Equal(["a", "b", "c"], claims.SelectMany(Keys));
    }

    [Fact]
    public async Task What_a_claim_without_limits_has_started_counts_for_the_next_one()
    {
        await AcceptAsync(WithKeys("a", "a", "a", "b"));
        JobClaim[] claims = [Claim(1, Of(Kind)), Claim(5, Of(Kind, maxPerKey: 1, maxTotal: 9))];
        await CommitAsync(batch => batch.Claims.AddRange(claims));
        Assert.Equal(["a", "b"], claims.SelectMany(Keys));
    }

    [Fact]
    public async Task A_job_that_starts_with_its_acceptance_counts_in_the_same_commit()
    {
        var claim = Claim(5, Of(Kind, maxPerKey: 1));
        await CommitAsync(batch =>
        {
            batch.Claims.Add(claim);
            batch.Jobs.AddRange([Job(key: "a", starts: true), Job(key: "a"), Job(key: "b")]);
        });
        Assert.Equal(["b"], Keys(claim));
    }

    [Theory]
    [InlineData(JobEvent.Succeeded)]
    [InlineData(JobEvent.Threw)]
    [InlineData(JobEvent.AskedForRetry)]
    [InlineData(JobEvent.Crashed)]
    [InlineData(JobEvent.OwnerLost)]
    [InlineData(JobEvent.NotStarted)]
    [InlineData(JobEvent.Drained)]
    public async Task A_job_that_ends_or_is_returned_frees_its_key_in_the_same_commit(object happened)
    {
        var (running, waiting) = (await AcceptAsync(Job(key: "a", starts: true)), await AcceptAsync(Job(key: "a")));
        var claim = Claim(5, Of(Kind, maxPerKey: 1, maxTotal: 1));
        await CommitAsync(batch =>
        {
            batch.Claims.Add(claim);
            batch.Actions.Add(Action(running.Id, (JobEvent)happened, Idempotent, fence: 1));
        });

        // It goes behind what waits, and is not started beside it.
        Assert.Equal([waiting.Id], Ids(claim));
    }

    [Theory]
    [InlineData(JobEvent.CancelAsked)]
    [InlineData(JobEvent.TimedOut)]
    public async Task A_job_that_is_to_stop_counts_until_it_has_ended(object happened)
    {
        var running = await AcceptAsync(Job(key: "a", starts: true));
        await AcceptAsync(WithKeys("a", "b"));
        await ActAsync(running.Id, (JobEvent)happened);
        Assert.Empty((await ClaimAsync(5, Of(Kind, maxTotal: 1))).Jobs);
        Assert.Equal(["b"], Keys(await ClaimAsync(5, Of(Kind, maxPerKey: 1))));
        await ActAsync(running.Id, JobEvent.Threw, fence: 1);
        Assert.Equal(["a"], Keys(await ClaimAsync(5, Of(Kind, maxPerKey: 1, maxTotal: 2))));
    }

    [Fact]
    public async Task A_job_counts_by_the_key_that_its_arguments_have_now()
    {
        var edited = await AcceptAsync(Job(key: "a"));
        await EditAsync(edited.Id, Bytes("other"), 1, key: "b");
        await ClaimAsync();
        await AcceptAsync(WithKeys("a", "b"));
        Assert.Equal(["a"], Keys(await ClaimAsync(5, Of(Kind, maxPerKey: 1))));
    }

    [Fact]
    public async Task A_job_that_is_edited_to_a_key_with_room_can_be_claimed_in_the_same_commit()
    {
        await AcceptAsync(Job(key: "a", starts: true));
        var (blocked, claim) = (await AcceptAsync(Job(key: "a")), Claim(5, Of(Kind, maxPerKey: 1)));
        await CommitAsync(batch =>
        {
            batch.Claims.Add(claim);
            batch.Actions.Add(new JobAction { Id = blocked.Id, Happened = JobEvent.ArgumentsEdited, Kind = Once, Moment = new JobMoment(Now, 0), Payload = Bytes("other"), Key = "b" });
        });
        Assert.Equal([blocked.Id], Ids(claim));
        Assert.Equal("b", claim.Jobs[0].Record.Key);
    }

    // ---- priorities ----

    [Fact]
    public async Task Jobs_of_all_priorities_count_for_a_key()
    {
        await AcceptAsync([Job(key: "a", priority: JobPriority.Low, starts: true), Job(key: "a", priority: JobPriority.High), Job(key: "a"), Job(key: "b"), Job(key: "b", priority: JobPriority.High)]);
        Assert.Equal([("b", JobPriority.High)], (await ClaimAsync(10, Of(Kind, maxPerKey: 1))).Jobs.Select(static job => (job.Record.Key, job.Record.Priority)));
    }

    [Fact]
    public async Task A_priority_whose_keys_have_no_room_leaves_its_turns_to_the_others()
    {
        await AcceptAsync([Job(key: "a", starts: true), .. Enumerable.Range(0, 5).Select(_ => Job(key: "a", priority: JobPriority.High)), .. WithKeys("c", "b", "a"), Job(key: "d", priority: JobPriority.Low)]);
        var kind = Of(Kind, maxPerKey: 1);
        Assert.Equal(["b", "c", "d"], Keys(await ClaimAsync(10, kind)));
        Assert.Equal((null, "c", "d"), (kind.Turn.High, kind.Turn.Normal, kind.Turn.Low));
    }

    // ---- in all ----

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public async Task No_more_jobs_of_a_kind_run_than_may(int most)
    {
        await AcceptAsync(WithKeys("a", "b", "c", "d", "e"));
        var kind = Of(Kind, maxTotal: most);
        var claim = await ClaimAsync(10, kind);
        var served = Keys(claim).ToList();
        Assert.Equal(most, served.Count);
        Assert.False(kind.IsEmpty);
        Assert.Empty((await ClaimAsync(10, kind)).Jobs);
        foreach (var ended in claim.Jobs)
        {
            await ActAsync(ended.Record.Id, JobEvent.Succeeded, fence: 1);
            served.AddRange(Keys(await ClaimAsync(10, kind)));
        }

        // One starts for each that has ended, as long as there are any.
        Assert.Equal("abcde"[..Math.Min(5, 2 * most)], string.Concat(served));
    }

    [Fact]
    public async Task Jobs_of_other_kinds_do_not_count()
    {
        await AcceptAsync([Job("b", starts: true), Job("b", starts: true), Job("a", priority: JobPriority.Low), Job("a", priority: JobPriority.High), Job("a"), Job("b")]);
        Assert.Equal(["a", "a"], Kinds(await ClaimAsync(10, Of("a", maxTotal: 2), Of("b", maxTotal: 2))));
    }

    [Fact]
    public async Task Places_that_a_kind_may_not_have_go_to_others()
    {
        await AcceptAsync([Job("a"), Job("a"), Job("a"), Job("b"), Job("b"), Job("b")]);
        Assert.Equal(["a", "b", "b", "b"], Kinds(await ClaimAsync(4, Of("a", maxTotal: 1), Of("b"))));
    }

    [Fact]
    public async Task Several_claims_of_one_commit_stay_below_the_limit_together()
    {
        await AcceptAsync(WithKeys("a", "b", "c", "d", "e", "f"));
        JobClaim[] claims = [Claim(2, Of(Kind, maxTotal: 5)), Claim(2, Of(Kind, afterKey: "d", maxTotal: 5)), Claim(9, Of(Kind, maxTotal: 5))];
        await CommitAsync(batch => batch.Claims.AddRange(claims));
        Assert.Equal(["a", "b", "e", "f", "c"], claims.SelectMany(Keys));
    }

    [Theory]
    [InlineData(1, 2, "a b")]
    [InlineData(1, 9, "a b c")]
    [InlineData(2, 4, "a b c a")]
    [InlineData(2, 9, "a b c a b")]
    [InlineData(null, 4, "a b c a")]
    [InlineData(0, 4, "")]
    public async Task Both_limits_hold(int? mostPerKey, int mostTotal, string expected)
    {
        await AcceptAsync(WithKeys("a", "a", "a", "b", "b", "c"));
        Assert.Equal(expected, string.Join(' ', Keys(await ClaimAsync(10, Of(Kind, maxPerKey: mostPerKey, maxTotal: mostTotal)))));
    }

    // ---- starts with acceptance ----

    [Fact]
    public async Task A_job_starts_with_its_acceptance_only_where_its_limits_leave_room()
    {
        var jobs = WithKeys("a", "a", "b", "c").ToArray();
        foreach (var job in jobs)
        {
            (job.Starts, job.Limits) = (true, new KindLimits(1, 2));
        }

        await AcceptAsync(jobs);
        Assert.Equal([true, false, true, false], jobs.Select(static job => job.Claimed is not null));
        await ActAsync(jobs[0].Id, JobEvent.Succeeded, fence: 1);
        Assert.Equal([jobs[3].Id], Ids(await ClaimAsync(10, Of(Kind, afterKey: "b", maxPerKey: 1, maxTotal: 2))));
        await ActAsync(jobs[2].Id, JobEvent.Succeeded, fence: 1);
        Assert.Equal([jobs[1].Id], Ids(await ClaimAsync(10, Of(Kind, maxPerKey: 1, maxTotal: 2))));
    }

    [Fact]
    public async Task What_runs_is_counted_again_after_a_commit_that_failed()
    {
        var kind = Of(Kind, maxPerKey: 1);
        await AcceptAsync(WithKeys("a", "a", "b"));
        Assert.Equal(["a", "b"], Keys(await ClaimAsync(10, kind)));
        var running = (await ListAsync(new JobQuery { State = JobState.Running })).Single(static job => job.Key == "a");
        var taken = Job();
        await AcceptAsync(taken);
        await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(batch =>
        {
            batch.Actions.Add(Action(running.Id, JobEvent.Succeeded, fence: 1));
            batch.Jobs.Add(new NewJob { Id = taken.Id, Kind = Kind, Signature = 1, Arguments = Bytes("{}"), Submitted = Now, Due = Now });
        }));
        Assert.Equal([""], Keys(await ClaimAsync(10, Of(Kind, maxPerKey: 1))));
        await ActAsync(running.Id, JobEvent.Succeeded, fence: 1);
        Assert.Equal(["a"], Keys(await ClaimAsync(10, Of(Kind, maxPerKey: 1))));
    }
}
