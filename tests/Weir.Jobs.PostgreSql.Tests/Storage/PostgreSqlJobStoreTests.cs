using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

public sealed class PostgreSqlJobStoreTests(PostgreSqlServer server) : DurableJobStoreCompliance
{
    private readonly string _schema = server.TakeSchema();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await server.GiveBackAsync(_schema);
    }

    // Thousands of commits, one after the other.
    [Trait("Kind", "Long")]
    public override Task Random_batches_are_answered_as_by_the_store_in_memory(int seed) => base.Random_batches_are_answered_as_by_the_store_in_memory(seed);

    private protected override ValueTask<IJobStore> CreateAsync() => new(New());

    // A process that was killed leaves its rows and its sessions as they are: the next one does not wait for its lease.
    private protected override async ValueTask<IJobStore> ReopenAsync(IJobStore store, bool killed)
    {
        await (killed ? ((PostgreSqlJobStore)store).KillAsync() : store.DisposeAsync());
        return New();
    }

    private PostgreSqlJobStore New() =>
        new(new Database(server.ConnectionString, _schema), new PostgreSqlJobsOptions { Schema = _schema }, new RetentionTimes(null, null), TimeProvider.System) { IsAlone = true };
}
