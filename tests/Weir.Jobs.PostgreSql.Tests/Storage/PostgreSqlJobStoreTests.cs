using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

public sealed class PostgreSqlJobStoreTests(PostgreSqlServer server) : DurableJobStoreCompliance
{
    // What the store finds out when it is opened, and what Npgsql asks a server for that it meets first: twice in each of seven hundred tests, that takes a good part of their time.
    private const string Known = ";Max Auto Prepare=200;Auto Prepare Min Usages=2;Server Compatibility Mode=NoTypeLoading";

    private readonly string _schema = server.TakeSchema();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await server.GiveBackAsync(_schema);
    }

    // Thousands of commits, one after the other.
    [Trait("Kind", "Long")]
    public override Task Random_batches_are_answered_as_by_the_store_in_memory(int seed) => base.Random_batches_are_answered_as_by_the_store_in_memory(seed);

    internal static PostgreSqlJobStore New(PostgreSqlServer server, string schema) =>
        new(new Database(server.ConnectionString + Known, schema), new PostgreSqlJobsOptions { Schema = schema }, new RetentionTimes(null, null), TimeProvider.System) { IsAlone = true };

    private protected override ValueTask<IJobStore> CreateAsync() => new(New(server, _schema));

    // A process that was killed leaves its rows and its sessions as they are: the next one does not wait for its lease.
    private protected override async ValueTask<IJobStore> ReopenAsync(IJobStore store, bool killed)
    {
        await (killed ? ((PostgreSqlJobStore)store).KillAsync() : store.DisposeAsync());
        return New(server, _schema);
    }
}
