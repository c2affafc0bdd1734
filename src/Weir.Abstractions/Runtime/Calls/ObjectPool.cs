using System.Collections.Concurrent;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Weir.Runtime;

/// <summary>
/// Used objects that may be used again: one place per processor, and a queue behind the places. What fits in neither is left to
/// the garbage collector. Lock-free; may be used concurrently. The code that returns an object has cleared its references.
/// </summary>
/// <typeparam name="T">The objects' type.</typeparam>
/// <param name="mostQueued">The most objects that the queue keeps.</param>
internal sealed class ObjectPool<T>(int mostQueued = ObjectPool<T>.MostQueued)
    where T : class
{
    /// <summary>What the queue keeps unless its owner says otherwise: as many as the lane has threads, so that calls which all block reuse what they need (decision 5).</summary>
    public const int MostQueued = 1024;

    private const int MostPlaces = 64;

    // The thread that returns an object often rents next, on the same processor. The length is a power of two.
    private readonly Place[] _places = new Place[BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, MostPlaces))];

    // Bounded by mostQueued. Created when the places are full, which they never are in most workers: its assembly is loaded then.
    private ConcurrentQueue<T>? _queue;
    private int _queued;

    /// <summary>An object that was returned, or <c>null</c> when there is none.</summary>
    public T? TryRent()
    {
        if (TryTake(ref Near()) is { } near)
        {
            return near;
        }

        return Volatile.Read(ref _queued) > 0 && TryDequeue() is { } queued ? queued : TryTakeAnywhere();
    }

    /// <summary>Keeps an object for the next <see cref="TryRent"/>.</summary>
    /// <returns><c>false</c> when the pool is full: the object is left to the garbage collector.</returns>
    public bool Return(T item)
    {
        ref var place = ref Near();
        if (place is null && Interlocked.CompareExchange(ref place, item, null) is null)
        {
            return true;
        }

        if (Interlocked.Increment(ref _queued) <= mostQueued)
        {
            Enqueue(item);
            return true;
        }

        Interlocked.Decrement(ref _queued);
        return false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Enqueue(T item)
    {
        if (_queue is null)
        {
            Interlocked.CompareExchange(ref _queue, new ConcurrentQueue<T>(), null);
        }

        _queue.Enqueue(item);
    }

    // Null also where an object is being queued.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private T? TryDequeue()
    {
        if (Volatile.Read(ref _queue) is { } queue && queue.TryDequeue(out var item))
        {
            Interlocked.Decrement(ref _queued);
            return item;
        }

        return null;
    }

    // Searching all places is cheaper than a new object.
    private T? TryTakeAnywhere()
    {
        for (var i = 0; i < _places.Length; i++)
        {
            if (TryTake(ref _places[i].Item) is { } item)
            {
                return item;
            }
        }

        return null;
    }

    private static T? TryTake(ref T? place) =>
        place is { } item && Interlocked.CompareExchange(ref place, null, item) == item ? item : null;

    private ref T? Near() => ref _places[Thread.GetCurrentProcessorId() & (_places.Length - 1)].Item;

    // A cache line of its own: processors that use different places do not share a cache line.
    private struct Place
    {
        public T? Item;
#pragma warning disable CS0169, IDE0051 // Never read: padding.
        private readonly long _1, _2, _3, _4, _5, _6, _7;
#pragma warning restore CS0169, IDE0051
    }
}
