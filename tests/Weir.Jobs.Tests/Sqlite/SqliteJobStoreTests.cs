using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.Tests.Sqlite;

public sealed class SqliteJobStoreTests : DurableJobStoreCompliance
{
    private readonly List<StoreDirectory> _directories = [];
    private readonly List<IJobStore> _killed = [];

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        foreach (var store in _killed)
        {
            await store.DisposeAsync();
        }

        _directories.ForEach(static directory => directory.Dispose());
    }

    private protected override ValueTask<IJobStore> CreateAsync() => new(Add(new StoreDirectory()));

    private protected override async ValueTask<IJobStore> ReopenAsync(IJobStore store, bool killed)
    {
        if (killed)
        {
            _killed.Add(store);
            return Add(_directories[^1].Copy());
        }

        await store.DisposeAsync();
        return Open(_directories[^1]);
    }

    private SqliteJobStore Add(StoreDirectory directory)
    {
        _directories.Add(directory);
        return Open(directory);
    }

    private static SqliteJobStore Open(StoreDirectory directory) => new(directory.File, StoreDirectory.OwnerWait, TimeProvider.System);
}
