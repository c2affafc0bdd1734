using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

public sealed class PostgreSqlJobStateTests(PostgreSqlServer server) : JobStateCompliance
{
    private readonly string _schema = server.TakeSchema();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await server.GiveBackAsync(_schema);
    }

    private protected override ValueTask<IJobStore> CreateAsync() => new(PostgreSqlJobStoreTests.New(server, _schema));

    private protected override async ValueTask<IJobStore> ReopenAsync(IJobStore store, bool killed)
    {
        await store.DisposeAsync();
        return PostgreSqlJobStoreTests.New(server, _schema);
    }
}
