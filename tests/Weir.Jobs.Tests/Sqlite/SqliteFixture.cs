using System.Text;
using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>A directory, and short ways to open stores in it and to commit to them.</summary>
public abstract class SqliteFixture : IDisposable
{
    private protected const string Kind = "Reports/Build";

    private protected static readonly DateTimeOffset Now = new(2026, 11, 27, 12, 0, 0, TimeSpan.Zero);
    private protected static readonly JobTraits Once = new();

    private readonly Random _ids = new(11);

    private protected StoreDirectory Files { get; } = new();

    private protected static CancellationToken Stop => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        Files.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected Guid NextId()
    {
        var bytes = new byte[16];
        _ids.NextBytes(bytes);
        return new Guid(bytes);
    }

    private protected static ReadOnlyMemory<byte> Bytes(string text) => Encoding.UTF8.GetBytes(text);

    private protected static string Text(ReadOnlyMemory<byte>? bytes) => Encoding.UTF8.GetString(bytes!.Value.Span);

    private protected SqliteJobStore New(TimeSpan? wait = null) => new(Files.File, wait ?? StoreDirectory.OwnerWait, TimeProvider.System);

    private protected async Task<SqliteJobStore> OpenAsync(SqliteJobStore? store = null)
    {
        store ??= New();
        await store.OpenAsync(new JobReplica(NextId(), []), Stop);
        return store;
    }

    private protected NewJob Job(string arguments = "{}", bool starts = false, string key = "", DateTimeOffset? due = null) => new()
    {
        Id = NextId(),
        Kind = Kind,
        Signature = 1,
        Arguments = Bytes(arguments),
        Submitted = Now,
        Due = due ?? Now,
        Key = key,
        Starts = starts,
    };

    private protected static async Task<JobBatch> CommitAsync(SqliteJobStore store, Action<JobBatch> fill, DateTimeOffset? now = null)
    {
        var batch = new JobBatch(now ?? Now);
        fill(batch);
        await store.CommitAsync(batch);
        return batch;
    }

    private protected static async Task<NewJob> AcceptAsync(SqliteJobStore store, NewJob job)
    {
        await CommitAsync(store, batch => batch.Jobs.Add(job));
        return job;
    }

    private protected static JobAction Action(Guid id, JobEvent happened, string payload = "", long fence = 1) => new()
    {
        Id = id,
        Happened = happened,
        Kind = Once,
        Moment = new JobMoment(Now, 0.5) { Fence = fence },
        Payload = Bytes(payload),
    };

    private protected static async Task<JobAction> ActAsync(SqliteJobStore store, JobAction action)
    {
        await CommitAsync(store, batch => batch.Actions.Add(action));
        return action;
    }

    private protected static async Task<JobClaim> ClaimAsync(SqliteJobStore store, int slots)
    {
        var claim = new JobClaim { Slots = slots, Kinds = [new KindClaim { Kind = Kind, Slots = slots }] };
        await CommitAsync(store, batch => batch.Claims.Add(claim));
        return claim;
    }

    /// <summary>Changes the file of a store that is closed.</summary>
    private protected void Execute(string sql)
    {
        using var connection = new Connection(Files.File, mayWrite: true);
        connection.Execute(sql);
    }

    /// <summary>The first value of a file that is closed.</summary>
    private protected string? Query(string sql)
    {
        using var connection = new Connection(Files.File, mayWrite: true);
        return connection.Query(sql);
    }

    private protected async Task<string> RefusalAsync(SqliteJobStore? store = null)
    {
        await using var refused = store ?? New();
        return (await Assert.ThrowsAsync<InvalidOperationException>(async () => await refused.OpenAsync(new JobReplica(NextId(), []), Stop))).Message;
    }
}
