using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Claiming;

/// <summary>What several processes that claim at once do, and what they leave to each other.</summary>
public sealed class ClaimTests(PostgreSqlServer server) : ClaimingTable(server)
{
    [Theory]
    [InlineData("'a'")]
    [InlineData("(n % 100)::text")]
    [InlineData("md5(n::text)")]
    public async Task Three_processes_claim_every_job_once(string key)
    {
        const int Jobs = 6_000;
        await ExecuteAsync(Insert(key, "gen_random_uuid()", Kind, 0, 1, $"generate_series(1, {Jobs}) AS n"));
        var claimed = await Task.WhenAll(Enumerable.Range(0, 3).Select(index => Task.Run(async () =>
        {
            List<Guid> ids = [];
            await using var replica = await ClaimingReplica.OpenAsync(Database);
            var random = new Random(index);
            for (var turn = default(JobTurn); ;)
            {
                var claim = Claim(random.Next(1, 100), Of(turn: turn));
                await replica.ClaimAsync(Claims(claim), rollsBack: random.Next(10) == 0);
                ids.AddRange(claim.Jobs.Select(static job => job.Record.Id));
                turn = claim.Kinds[0].Turn;
                if (claim.Jobs.Count == 0 && await CountAsync("state = 2") == 0)
                {
                    Assert.Equal(ids.Count, await CountAsync($"state = 3 AND starts = 1 AND fence = 1 AND open AND replica = '{replica.Id}'"));
                    return ids;
                }
            }
        })));
        Assert.Equal(Jobs, claimed.SelectMany(static ids => ids).Distinct().Count());
        Assert.Equal(Jobs, claimed.Sum(static ids => ids.Count));
    }

    [Fact]
    public async Task Limits_hold_over_three_processes_that_start_and_end_jobs()
    {
        await ExecuteAsync(Insert("(n % 7)::text", "gen_random_uuid()", Kind, 0, 1, "generate_series(1, 700) AS n"));
        await ExecuteAsync(Insert("(n % 7)::text", "gen_random_uuid()", "other", 0, 1, "generate_series(1, 700) AS n"));
        var limits = new KindLimits(2, 9);
        await Task.WhenAll(Enumerable.Range(0, 3).Select(index => Task.Run(async () =>
        {
            await using var replica = await ClaimingReplica.OpenAsync(Database);
            var random = new Random(index);
            var turns = new JobTurn[2];
            while (await CountAsync("state = 2") > 0)
            {
                // In either order: two processes must not wait for each other.
                KindClaim[] kinds = [Of(limits: limits, turn: turns[0]), Of("other", limits: limits, turn: turns[1])];
                var claim = Claim(random.Next(1, 20), index == 1 ? [kinds[1], kinds[0]] : kinds);
                await replica.ClaimAsync(Claims(claim));
                turns = [kinds[0].Turn, kinds[1].Turn];
                Assert.Equal(0, await CountAsync($"state = 3 AND (SELECT count(*) FROM {Database.Schema}.job AS other WHERE other.state = 3 AND other.kind = job.kind AND other.key = job.key) > 2"));
                Assert.InRange(await CountAsync($"state = 3 AND kind = '{Kind}'"), 0, 9);
                await EndAsync($"replica = '{replica.Id}' AND random() < 0.5");
            }
        })));
        Assert.Equal(0, await CountAsync("state = 2"));
    }

    [Fact]
    public async Task Keys_without_room_are_passed_over_and_the_kind_is_not_empty()
    {
        await AddAsync("a", 300);
        await AddAsync("b", 3);
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        var claim = Claim(64, Of(limits: new KindLimits(2, null)));
        await replica.ClaimAsync(Claims(claim));
        Assert.Equal(["a", "b", "a", "b"], Keys(claim));
        Assert.False(claim.Kinds[0].IsEmpty);
        await EndAsync("key = 'b'");
        claim = Claim(64, Of(limits: new KindLimits(2, null), turn: claim.Kinds[0].Turn));
        await replica.ClaimAsync(Claims(claim));
        Assert.Equal(["b"], Keys(claim));
    }

    [Fact]
    public async Task Another_key_waits_one_round_behind_three_hundred_jobs_of_one()
    {
        await AddAsync("a", 300);
        await AddAsync("b");
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        var claim = Claim(64, Of(turn: new JobTurn(0, null, "a", null)));
        await replica.ClaimAsync(Claims(claim));
        Assert.Equal("b", Keys(claim).First());
        Assert.Equal(64, claim.Jobs.Count);
    }

    [Theory]
    [InlineData("'a'", 3)]
    [InlineData("(n % 1000)::text", 3)]
    [InlineData("md5(n::text)", 3)]
    public async Task A_backlog_is_claimed_in_one_trip_that_fetches(string key, int trips)
    {
        await ExecuteAsync(Insert(key, "gen_random_uuid()", Kind, 0, 1, "generate_series(1, 3000) AS n"));
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        var turn = default(JobTurn);
        for (var count = 0; count < 10; count++)
        {
            var claim = Claim(64, Of(turn: turn));
            await replica.ClaimAsync(Claims(claim));
            Assert.Equal(64, claim.Jobs.Count);
            turn = claim.Kinds[0].Turn;

            // Begin, fetch, start, and commit; the first time more, because it is not known which priorities have jobs.
            Assert.InRange(replica.Trips, trips, count == 0 ? trips + 4 : trips + 1);
        }
    }

    [Fact]
    public async Task Jobs_that_another_process_has_locked_are_passed_over()
    {
        await AddAsync("a", 2);
        await AddAsync("b", 2);
        await using var first = await ClaimingReplica.OpenAsync(Database);
        await using var second = await ClaimingReplica.OpenAsync(Database);
        var claims = new[] { Claim(2, Of()), Claim(9, Of()) };
        await first.ClaimAsync(Claims(claims[0]), beforeCommit: async () => await second.ClaimAsync(Claims(claims[1])));
        Assert.Equal(["a", "b"], Keys(claims[0]));
        Assert.Equal(["a", "b"], Keys(claims[1]));
        Assert.Empty(claims[0].Jobs.Select(static job => job.Record.Id).Intersect(claims[1].Jobs.Select(static job => job.Record.Id)));
    }

    [Fact]
    public async Task A_claim_names_the_kinds_whose_jobs_it_has_locked_and_left()
    {
        await AddAsync("a", 5);
        await AddAsync("a", 5, "other");
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        string[] left = [];
        var claim = Claim(3, Of(), Of("other"));
        await replica.ClaimAsync(Claims(claim), beforeCommit: () =>
        {
            left = [.. replica.Claimer.Left];
            return Task.CompletedTask;
        });

        // Two places of each kind, of three in all.
        Assert.Equal([Kind, "other", Kind], claim.Jobs.Select(static job => job.Record.Kind));
        Assert.Equal(["other"], left);
        Assert.Equal([false, false], claim.Kinds.Select(static kind => kind.IsEmpty));
    }

    [Fact]
    public async Task A_claim_that_is_rolled_back_leaves_no_trace_and_can_be_made_again()
    {
        await AddAsync("a", 3);
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        var batch = Claims(Claim(2, Of()));
        await replica.ClaimAsync(batch, rollsBack: true);
        Assert.Empty(batch.Claims[0].Jobs);
        Assert.Equal(default, batch.Claims[0].Kinds[0].Turn);
        Assert.Equal(3, await CountAsync("state = 2"));
        await replica.ClaimAsync(batch);
        Assert.Equal(["a", "a"], Keys(batch.Claims[0]));
        Assert.False(batch.Claims[0].Kinds[0].IsEmpty);
    }

    [Fact]
    public async Task A_process_that_may_not_start_jobs_claims_nothing_and_knows_what_is_ready()
    {
        await AddAsync("a");
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        var claim = Claim(2, Of(), Of("none"));
        await replica.ClaimAsync(Claims(claim), mayStart: false);
        Assert.Empty(claim.Jobs);
        Assert.Equal([false, true], claim.Kinds.Select(static kind => kind.IsEmpty));
        claim = Claim(2, Of(), Of("none"));
        await replica.ClaimAsync(Claims(claim), paused: new HashSet<string> { Kind });
        Assert.Empty(claim.Jobs);
        Assert.Equal([false, true], claim.Kinds.Select(static kind => kind.IsEmpty));
    }

    [Fact]
    public async Task Jobs_with_a_signature_that_another_process_has_published_are_left_to_it()
    {
        await AddAsync("a", 200, signature: 2);
        await AddAsync("a", 2, signature: 1);
        await AddAsync("b", 3, signature: 3);
        await AddAsync("c", 3, signature: 2);
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        replica.Foreign[Kind] = [2];
        var claim = Claim(64, Of());
        await replica.ClaimAsync(Claims(claim));
        Assert.Equal(["a", "b", "a", "b", "b"], Keys(claim));
        Assert.All(claim.Jobs, static job => Assert.NotEqual(2u, job.Record.Signature));
        Assert.True(claim.Kinds[0].IsEmpty);

        // When no process that lives has it any more, the others run them.
        replica.Foreign.Clear();
        claim = Claim(500, Of(turn: claim.Kinds[0].Turn));
        await replica.ClaimAsync(Claims(claim));
        Assert.Equal(203, claim.Jobs.Count);
        Assert.True(claim.Kinds[0].IsEmpty);
    }
}
