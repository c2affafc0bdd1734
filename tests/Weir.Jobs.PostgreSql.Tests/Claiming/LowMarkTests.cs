using Npgsql;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;
using Weir.Tests;

namespace Weir.Jobs.PostgreSql.Tests.Claiming;

/// <summary>Marks pass over the entries of jobs that were claimed, and over no job that is ready, for longer than a minute.</summary>
[Collection(nameof(NoOtherTransactions))]
public sealed class LowMarkTests(PostgreSqlServer server) : ClaimingTable(server)
{
    private readonly ManualTime _time = new();

    [Theory]
    [InlineData("'a'", 1)]
    [InlineData("(n % 20)::text", 20)]
    public async Task With_a_snapshot_that_is_held_a_claim_reads_no_more_entries_than_before(string key, int keys)
    {
        await ExecuteAsync(Insert(key, "gen_random_uuid()", Kind, 0, 1, "generate_series(1, 6000) AS n"));
        await using var holder = await HoldAsync();
        await using var replica = await ClaimingReplica.OpenAsync(Database, _time);
        var (turn, first, last) = (default(JobTurn), 0L, 0L);
        for (var count = 0; count < 80; count++)
        {
            var claim = Claim(64, Of(turn: turn));
            await replica.ClaimAsync(Claims(claim));
            last = replica.Entries;
            Assert.Equal(64, claim.Jobs.Count);
            turn = claim.Kinds[0].Turn;
            first = count == 1 ? last : first;
            _time.Advance(TimeSpan.FromMilliseconds(600));
            await EndAsync();
        }

        // Jobs of two claims are not old enough. Without marks it would be more than 5,000.
        Assert.InRange(last, 64, first + (4 * (64 + keys)));
    }

    [Fact]
    public async Task With_a_snapshot_that_is_held_a_claim_of_few_jobs_with_a_key_each_reads_few_entries()
    {
        await using var holder = await HoldAsync();
        await using var replica = await ClaimingReplica.OpenAsync(Database, _time);
        var (turn, last) = (default(JobTurn), 0L);
        for (var count = 0; count < 60; count++)
        {
            await ExecuteAsync(Insert($"md5(n::text || '{count}')", "gen_random_uuid()", Kind, 0, 1, "generate_series(1, 40) AS n"));
            var claim = Claim(64, Of(turn: turn));
            await replica.ClaimAsync(Claims(claim));
            last = replica.Entries;
            Assert.Equal(40, claim.Jobs.Count);
            Assert.True(claim.Kinds[0].IsEmpty);
            turn = claim.Kinds[0].Turn;
            _time.Advance(TimeSpan.FromMilliseconds(600));
            await EndAsync();
        }

        // Without marks more than 10,000.
        Assert.InRange(last, 40, 40 * 8);
    }

    [Fact]
    public async Task Once_a_minute_one_claim_reads_all_entries_and_the_next_one_few_again()
    {
        await ExecuteAsync(Insert("'a'", "gen_random_uuid()", Kind, 0, 1, "generate_series(1, 3000) AS n"));
        await using var holder = await HoldAsync();
        await using var replica = await ClaimingReplica.OpenAsync(Database, _time);
        List<long> entries = [];
        for (var count = 0; count < 40; count++)
        {
            // Before the claim before the last one a minute passes.
            _time.Advance(TimeSpan.FromMilliseconds(count == 38 ? 60_000 : 600));
            await replica.ClaimAsync(Claims(Claim(64, Of())));
            entries.Add(replica.Entries);
            await EndAsync();
        }

        Assert.InRange(entries[38], 38 * 64, int.MaxValue);
        Assert.InRange(entries[39], 64, entries[1] + (4 * 65));
    }

    [Fact]
    public async Task A_job_whose_transaction_was_open_while_others_were_claimed_is_found_at_once()
    {
        await using var replica = await ClaimingReplica.OpenAsync(Database, _time);
        await using var late = await SubmitLateAsync();
        await PassAsync(replica, TimeSpan.FromSeconds(8));
        await late.Transaction.CommitAsync(Stop);
        Assert.Equal(["late", "late"], await ClaimKeysAsync(replica));
    }

    [Fact]
    public async Task A_job_whose_transaction_was_open_for_longer_is_found_within_a_minute()
    {
        await using var replica = await ClaimingReplica.OpenAsync(Database, _time);
        await using var late = await SubmitLateAsync();
        await PassAsync(replica, TimeSpan.FromSeconds(50));
        await late.Transaction.CommitAsync(Stop);
        Assert.Empty(await ClaimKeysAsync(replica));
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(["late", "late"], await ClaimKeysAsync(replica));
    }

    [Fact]
    public async Task Jobs_whose_claim_another_process_rolled_back_are_found_at_once()
    {
        await using var replica = await ClaimingReplica.OpenAsync(Database, _time);
        await using var other = await ClaimingReplica.OpenAsync(Database, _time);
        await AddAsync("a", 40);
        await other.ClaimAsync(Claims(Claim(20, Of())), rollsBack: true, beforeCommit: async () => await PassAsync(replica, TimeSpan.FromSeconds(8)));
        Assert.Equal(20, (await ClaimKeysAsync(replica)).Count);
    }

    [Fact]
    public async Task Marks_pass_over_jobs_of_others_until_their_signature_is_published_no_more()
    {
        await using var replica = await ClaimingReplica.OpenAsync(Database, _time);
        replica.Foreign[Kind] = [2];
        await AddAsync("a", 20, signature: 2);
        await PassAsync(replica, TimeSpan.FromSeconds(20));
        replica.Foreign[Kind] = [3];
        Assert.Equal(20, (await ClaimKeysAsync(replica)).Count);
    }

    private async Task<NpgsqlConnection> HoldAsync()
    {
        var connection = await Database.OpenAsync(Stop);
        await ExecuteAsync(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
        return connection;
    }

    private async Task<LateSubmission> SubmitLateAsync()
    {
        var connection = await Database.OpenAsync(Stop);
        var transaction = await connection.BeginTransactionAsync(Stop);
        await ExecuteAsync(connection, Insert("'late'", "gen_random_uuid()", Kind, 0, 1, "generate_series(1, 2) AS n"));
        return new LateSubmission(connection, transaction);
    }

    // Jobs come and are claimed, among them many of one key.
    private async Task PassAsync(ClaimingReplica replica, TimeSpan time)
    {
        for (var passed = TimeSpan.Zero; passed < time; passed += TimeSpan.FromSeconds(2))
        {
            await AddAsync("late", 20);
            await AddAsync("b", 1);
            Assert.InRange((await ClaimKeysAsync(replica)).Count, 21, 41);
            _time.Advance(TimeSpan.FromSeconds(2));
        }
    }

    private static async Task<List<string>> ClaimKeysAsync(ClaimingReplica replica)
    {
        var claim = Claim(64, Of());
        await replica.ClaimAsync(Claims(claim));
        return [.. Keys(claim)];
    }

    private sealed record LateSubmission(NpgsqlConnection Connection, NpgsqlTransaction Transaction) : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => Connection.DisposeAsync();
    }
}
