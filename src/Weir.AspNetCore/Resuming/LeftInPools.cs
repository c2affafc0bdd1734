namespace Weir.AspNetCore.Resuming;

/// <summary>
/// Streams of isolated operations that run without a reader. They hold places that calls of their pool need, so they give way: beyond a share of the pool at once, and
/// within it when calls have waited at two looks, one at each look; the longest left first. Guarded by the lock of <see cref="KeptStreams"/>; bounded by the streams that are kept.
/// </summary>
internal sealed class LeftInPools
{
    /// <summary>How often it is looked whether calls wait, while there are such streams.</summary>
    internal static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    // Of the most workers of a pool, each of which runs at least one call.
    private const int Share = 2;

    private readonly Dictionary<string, LinkedList<KeptStream>> _pools = new(StringComparer.OrdinalIgnoreCase);

    // Pools in which calls waited at the last look.
    private readonly HashSet<string> _waited = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether there are none.</summary>
    internal bool IsEmpty => _pools.Count == 0;

    /// <summary>Adds a stream.</summary>
    /// <returns>By which it is removed: <c>node.List.Remove(node)</c>.</returns>
    internal LinkedListNode<KeptStream> Add(string pool, KeptStream stream)
    {
        if (!_pools.TryGetValue(pool, out var left))
        {
            _pools[pool] = left = new LinkedList<KeptStream>();
        }

        return left.AddLast(stream);
    }

    /// <summary>The stream that has to give way because a pool's are more than its share; <c>null</c> for none.</summary>
    internal KeptStream? BeyondShare(PoolSnapshot pool) =>
        _pools.TryGetValue(pool.Name, out var left) && left.Count > Math.Max(1, pool.MaxWorkers / Share) ? left.First!.Value : null;

    /// <summary>Looks whether calls wait.</summary>
    /// <param name="pools">All pools.</param>
    /// <returns>The streams that have to give way.</returns>
    internal List<KeptStream> Look(IReadOnlyList<PoolSnapshot> pools)
    {
        var ended = new List<KeptStream>();
        foreach (var pool in pools)
        {
            if (pool.Queued + pool.WaitingForCapacity == 0 || !_pools.TryGetValue(pool.Name, out var left) || left.First is not { } first)
            {
                _waited.Remove(pool.Name);
            }
            else if (!_waited.Add(pool.Name))
            {
                ended.Add(first.Value);
            }
        }

        foreach (var (name, left) in _pools)
        {
            if (left.Count == 0)
            {
                _pools.Remove(name);
            }
        }

        return ended;
    }
}
