using System.Globalization;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Claiming;

/// <summary>The table of jobs in a schema of its own, without a store: tests write its rows.</summary>
public abstract class ClaimingTable(PostgreSqlServer server) : IAsyncLifetime
{
    private protected const string Kind = "Reports/Build";
    private protected static readonly DateTimeOffset Now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private protected static CancellationToken Stop => TestContext.Current.CancellationToken;

    private protected Database Database { get; } = new(server.ConnectionString, server.NewSchema());

    public async ValueTask InitializeAsync()
    {
        await using var connection = await Database.OpenAsync(Stop);
        await SchemaScripts.PrepareAsync(Database, connection, Stop);
    }

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        await Database.DisposeAsync();
    }

    private protected static KindClaim Of(string kind = Kind, int slots = 1_000, KindLimits? limits = null, JobTurn turn = default) => new() { Kind = kind, Slots = slots, Limits = limits, Turn = turn };

    private protected static JobBatch Claims(params JobClaim[] claims)
    {
        var batch = new JobBatch(Now);
        batch.Claims.AddRange(claims);
        return batch;
    }

    private protected static JobClaim Claim(int slots, params KindClaim[] kinds) => new() { Slots = slots, Kinds = kinds };

    private protected static IEnumerable<string> Keys(JobClaim claim) => claim.Jobs.Select(static job => job.Record.Key);

    private protected async Task ExecuteAsync(string sql)
    {
        await using var connection = await Database.OpenAsync(Stop);
        await ExecuteAsync(connection, sql);
    }

    private protected static async Task ExecuteAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection) { CommandTimeout = 120 };
        await command.ExecuteNonQueryAsync(Stop);
    }

    private protected async Task<long> CountAsync(string where)
    {
        await using var connection = await Database.OpenAsync(Stop);
        await using var command = new NpgsqlCommand($"SELECT count(*) FROM {Database.Schema}.job WHERE {where}", connection);
        return (long)(await command.ExecuteScalarAsync(Stop))!;
    }

    /// <summary>Adds jobs of one key that are ready.</summary>
    private protected Task AddAsync(string key, int count = 1, string kind = Kind, int priority = 0, long signature = 1) =>
        ExecuteAsync(Insert($"'{key}'", "gen_random_uuid()", kind, priority, signature, $"generate_series(1, {count.ToString(CultureInfo.InvariantCulture)}) AS n"));

    /// <summary>Ends jobs that run.</summary>
    private protected Task EndAsync(string where = "true") => ExecuteAsync($"DELETE FROM {Database.Schema}.job WHERE state = 3 AND {where}");

    /// <summary>A statement that adds jobs that are ready, each behind those before.</summary>
    private protected string Insert(string key, string id, string kind, int priority, long signature, string from) => string.Create(
        CultureInfo.InvariantCulture,
        $"""
        WITH block AS MATERIALIZED (SELECT nextval('{Database.Schema}.ready_seq') AS first)
        INSERT INTO {Database.Schema}.job (
          id, seq, signature, ready, due, first_due, expires, fence, not_understood, submitted, started, ended, items, fingerprint, run, attempts, starts, failures, crashes, losses, retries, refusals, first_day,
          state, priority, reason, stop, unique_until, open, watched, kind, key, arguments)
        SELECT {id}, block.first + n, {signature}, block.first + n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, current_date, 2, {priority}, 0, 0, 0, false, false, '{kind}', {key}, '\x01' FROM {from}, block
        """);
}
