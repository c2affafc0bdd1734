using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>A schema of its own for each test, and short ways to commit to stores in it.</summary>
public abstract class StoreFixture(PostgreSqlServer server) : IAsyncLifetime
{
    private protected const string Kind = "Reports/Build";

    private protected static readonly DateTimeOffset Now = new(2026, 11, 27, 12, 0, 0, TimeSpan.Zero);
    private protected static readonly JobTraits Once = new();

    private readonly List<PostgreSqlJobStore> _stores = [];

    private protected string Schema { get; } = server.TakeSchema();

    private protected static CancellationToken Stop => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        foreach (var store in _stores)
        {
            await store.DisposeAsync();
        }

        await server.GiveBackAsync(Schema);
        GC.SuppressFinalize(this);
    }

    private protected async Task<PostgreSqlJobStore> OpenAsync(string? connectionString = null, PostgreSqlJobsOptions? options = null)
    {
        var store = new PostgreSqlJobStore(new Database(connectionString ?? server.ConnectionString, Schema), options ?? new PostgreSqlJobsOptions(), new RetentionTimes(null, null), TimeProvider.System);
        _stores.Add(store);
        await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), Stop);
        return store;
    }

    private protected static NewJob Job(bool starts = false, string? idempotencyKey = null, DateTimeOffset? due = null, string kind = Kind, string key = "") => new()
    {
        Id = Guid.CreateVersion7(),
        Kind = kind,
        Signature = 1,
        Arguments = "{}"u8.ToArray(),
        Submitted = Now,
        Due = due ?? Now,
        Starts = starts,
        Key = key,
        IdempotencyKey = idempotencyKey,
    };

    private protected static JobAction Action(Guid id, JobEvent happened, long fence = 1, string payload = "") => new()
    {
        Id = id,
        Happened = happened,
        Kind = Once,
        Moment = new JobMoment(Now, 0.5) { Fence = fence },
        Payload = System.Text.Encoding.UTF8.GetBytes(payload),
    };

    private protected static JobClaim Claim(int slots, string kind = Kind) => new() { Slots = slots, Kinds = [new KindClaim { Kind = kind, Slots = slots }] };

    private protected static async Task<JobBatch> CommitAsync(IJobStore store, Action<JobBatch> fill, DateTimeOffset? now = null)
    {
        var batch = new JobBatch(now ?? Now);
        fill(batch);
        await store.CommitAsync(batch);
        return batch;
    }

    private protected async Task<JobState?> StateAsync(IJobStore store, Guid id) => (await store.FindAsync(id, Stop))?.Status.State;

    private protected async Task<long> CountAsync(string sql) => (long)(await server.QueryAsync($"SELECT count(*) FROM {Schema}.{sql}"))!;
}
