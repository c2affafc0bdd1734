using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.Tests.Sqlite;

public sealed class SqliteJobStateTests : JobStateCompliance
{
    private readonly StoreDirectory _directory = new();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _directory.Dispose();
    }

    private protected override ValueTask<IJobStore> CreateAsync() => new(Open());

    private protected override async ValueTask<IJobStore> ReopenAsync(IJobStore store, bool killed)
    {
        await store.DisposeAsync();
        return Open();
    }

    private SqliteJobStore Open() => new(_directory.File, StoreDirectory.OwnerWait, TimeProvider.System);
}
