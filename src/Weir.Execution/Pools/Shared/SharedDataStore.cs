using Weir.Execution.Pools.Options;
using Weir.Execution.Processes;
using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Shared;

/// <summary>
/// The shared data of all pools of a host: pools that name the same source under the same name use one copy of it. Any thread.
/// </summary>
/// <param name="freeMemory">Reads how many bytes of memory are left; <c>null</c> where that is not known.</param>
internal sealed class SharedDataStore(Func<long?> freeMemory)
{
    private readonly Lock _gate = new();

    // All of the following under _gate. The readings that a new user may join, at most one for each source that a pool names.
    private readonly Dictionary<Key, SharedDataBlock> _current = [];

    // One for each name.
    private readonly Dictionary<string, long> _generations = new(StringComparer.OrdinalIgnoreCase);
    private long _stamp;

    /// <summary>For pools without an application around them.</summary>
    public static SharedDataStore Shared => LazyShared.Value;

    private static Lazy<SharedDataStore> LazyShared { get; } = new(static () => ForThisMachine());

    public static SharedDataStore ForThisMachine() => new(SharedDataCheck.FreeMemory);

    /// <summary>A reload begins: what was read before it does not count as read by it.</summary>
    public long NextStamp()
    {
        lock (_gate)
        {
            return ++_stamp;
        }
    }

    /// <summary>Takes the latest reading, or begins one. <see cref="Release"/> follows once.</summary>
    /// <param name="name">The name.</param>
    /// <param name="source">The source.</param>
    /// <param name="isPortable">Whether workers open a file.</param>
    /// <param name="stamp">The reading must not have begun before; 0 for any.</param>
    /// <param name="cancellationToken">Ends the wait; a reading for which no other user waits ends, too.</param>
    /// <exception cref="LaunchException">The source cannot be read.</exception>
    public async Task<SharedDataBlock> AcquireAsync(string name, SharedDataSource source, bool isPortable, long stamp, CancellationToken cancellationToken)
    {
        var block = Join(new Key(name.ToUpperInvariant(), source, isPortable), name, stamp);
        try
        {
            await block.Read.WaitAsync(cancellationToken).ConfigureAwait(false);
            return block;
        }
        catch
        {
            Release(block);
            throw;
        }
    }

    /// <summary>One user less; the last one closes it.</summary>
    public void Release(SharedDataBlock block)
    {
        lock (_gate)
        {
            if (--block.Users > 0)
            {
                return;
            }

            foreach (var (key, current) in _current)
            {
                if (current == block)
                {
                    _current.Remove(key);
                    break;
                }
            }
        }

        _ = block.Abandoned.CancelAsync();
        if (block.Read.IsCompletedSuccessfully)
        {
            block.File.Dispose();
        }
    }

    private SharedDataBlock Join(Key key, string name, long stamp)
    {
        lock (_gate)
        {
            if (_current.TryGetValue(key, out var block) && block.BegunAt >= stamp && !block.Read.IsFaulted)
            {
                block.Users++;
                return block;
            }

            var generation = _generations[name] = _generations.GetValueOrDefault(name) + 1;
            _current[key] = block = new SharedDataBlock(name, generation, _stamp) { Users = 1 };
            Callbacks.Queue((Store: this, Block: block, Key: key), static one => _ = one.Store.ReadAsync(one.Block, one.Key), static (one, failure) => one.Block.Fail(failure));
            return block;
        }
    }

    private async Task ReadAsync(SharedDataBlock block, Key key)
    {
        try
        {
            var file = await SharedDataLoader.LoadAsync(block.Name, key.Source, key.IsPortable, freeMemory, block.Abandoned.Token).ConfigureAwait(false);
            bool isWanted;
            lock (_gate)
            {
                isWanted = block.Users > 0;
                block.Complete(file);
            }

            if (!isWanted)
            {
                file.Dispose();
            }
        }
        catch (Exception failure)
        {
            block.Fail(failure);
        }
    }

    private readonly record struct Key(string Name, SharedDataSource Source, bool IsPortable);
}
