using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

[Trait("Kind", "Long")]
public sealed class PostgreSqlJobStoreTests(PostgreSqlServer server) : DurableJobStoreCompliance
{
    private readonly string _schema = server.TakeSchema();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await server.GiveBackAsync(_schema);
    }

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
