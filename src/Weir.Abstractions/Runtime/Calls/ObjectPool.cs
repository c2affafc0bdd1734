using System.Collections.Concurrent;
using System.Numerics;

namespace Weir.Runtime;

/// <summary>
/// Objects that were used and may be used again: one place per processor, and behind the places a queue. What finds no room
/// is left to the collector. Lock-free; may be used concurrently. Whoever returns an object has let go of everything in it.
/// </summary>
/// <typeparam name="T">The objects' type.</typeparam>
internal sealed class ObjectPool<T>
    where T : class
{
    /// <summary>The queue keeps at most so many: as many as are in flight at once where it matters, and little when nothing happens.</summary>
    public const int MostQueued = 256;

    private const int MostPlaces = 64;

    // Who returns most often rents next, on the same processor. A power of two.
    private readonly Place[] _places = new Place[BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, MostPlaces))];

    // Bounded by MostQueued.
    private readonly ConcurrentQueue<T> _queue = new();
    private int _queued;

    /// <summary>An object that was returned, or <c>null</c> when there is none.</summary>
    public T? TryRent()
    {
        if (TryTake(ref Near()) is { } near)
        {
            return near;
        }

        if (Volatile.Read(ref _queued) > 0 && _queue.TryDequeue(out var queued))
        {
            Interlocked.Decrement(ref _queued);
            return queued;
        }

        return TryTakeAnywhere();
    }

    /// <summary>Keeps an object for the next <see cref="TryRent"/>, if there is room.</summary>
    public void Return(T item)
    {
        ref var place = ref Near();
        if (place is null && Interlocked.CompareExchange(ref place, item, null) is null)
        {
            return;
        }

        if (Interlocked.Increment(ref _queued) <= MostQueued)
        {
            _queue.Enqueue(item);
        }
        else
        {
            Interlocked.Decrement(ref _queued);
        }
    }

    // Cheaper than a new one.
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

    // A cache line of its own: processors that do not share objects do not share lines.
    private struct Place
    {
        public T? Item;
#pragma warning disable CS0169, IDE0051 // Never read: it takes up room.
        private readonly long _1, _2, _3, _4, _5, _6, _7;
#pragma warning restore CS0169, IDE0051
    }
}
