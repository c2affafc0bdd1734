using Npgsql;
using Weir.Jobs.PostgreSql.Claiming;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Writing;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Claiming;

/// <summary>One process that claims from a table: transactions that do nothing else, but for statements of a test in front.</summary>
internal sealed class ClaimingReplica(Database database, NpgsqlConnection connection, TimeProvider clock) : IAsyncDisposable
{
    private readonly KindLocks _locks = new(database);

    public static CancellationToken Stop => TestContext.Current.CancellationToken;

    public Guid Id { get; } = Guid.NewGuid();

    public JobClaimer Claimer { get; } = new(database, clock);

    public Dictionary<string, long[]> Foreign { get; } = new(StringComparer.Ordinal);

    /// <summary>How many trips to the server the last claims took.</summary>
    public int Trips { get; private set; }

    /// <summary>How many entries of the index of ready jobs they read.</summary>
    public long Entries { get; private set; }

    public static async Task<ClaimingReplica> OpenAsync(Database database, TimeProvider? clock = null)
    {
        var connection = await database.OpenAsync(Stop);
        return new ClaimingReplica(database, connection, clock ?? TimeProvider.System);
    }

    public async Task ClaimAsync(JobBatch batch, IReadOnlySet<string>? paused = null, bool mayStart = true, Func<Task>? beforeCommit = null, bool rollsBack = false)
    {
        var running = new Dictionary<string, RunningCounts>(StringComparer.Ordinal);
        var pipeline = new Pipeline(connection);
        Trips = 0;
        pipeline.Add("BEGIN");
        pipeline.Query(Loader.Settings, static _ => { });

        // Those of transactions before are counted, too, for a while.
        var entries = $"SELECT pg_stat_get_xact_tuples_returned('{database.Schema}.job_ready'::regclass)";
        pipeline.Query(entries, row => Entries = -row.GetInt64(0));
        if (KindLocks.KindsOf(batch).ToList() is { Count: > 0 } kinds)
        {
            _locks.Append(pipeline, kinds, running);
        }

        await SendAsync(pipeline);
        Claimer.Begin(new ClaimScope { Batch = batch, Replica = Id, MayStart = mayStart, Paused = paused ?? new HashSet<string>(), Running = running, Foreign = Foreign });
        Claimer.Append(pipeline);
        await SendAsync(pipeline);
        await Claimer.SelectAsync(pipeline, Stop);
        Claimer.AppendClaims(pipeline);
        await SendAsync(pipeline);
        Claimer.Complete();
        if (beforeCommit is not null)
        {
            await beforeCommit();
        }

        pipeline.Query(entries, row => Entries += row.GetInt64(0));
        pipeline.Add(rollsBack ? "ROLLBACK" : "COMMIT");
        await SendAsync(pipeline);
        if (rollsBack)
        {
            Claimer.RolledBack();
        }
        else
        {
            Claimer.Committed();
        }
    }

    public ValueTask DisposeAsync() => connection.DisposeAsync();

    private async Task SendAsync(Pipeline pipeline)
    {
        Trips++;
        await pipeline.SendAsync(Stop);
    }
}
