namespace Weir.Jobs.Storage;

/// <summary>The jobs of a kind that are ready, in memory, in the order in which they are claimed. What it costs to find the next one grows with the logarithm of their number.</summary>
internal sealed class ReadyJobs
{
    private readonly SortedSet<Place> _places = new(Comparer<Place>.Create(static (a, b) => a.CompareTo(b)));

    public bool IsEmpty => _places.Count == 0;

    public void Add(MemoryJob job) => _places.Add(Place.Of(job));

    public void Remove(MemoryJob job) => _places.Remove(Place.Of(job));

    /// <summary>Of the highest priority, of the key after this one, the oldest; <c>null</c> where none is ready.</summary>
    public MemoryJob? Next(string? afterKey)
    {
        var (first, last) = (_places.Min, _places.Max);
        if (afterKey is null || first.Job is null)
        {
            return first.Job;
        }

        // No key is between these two.
        var from = new Place(first.Priority, afterKey + '\0', 0, null);
        var next = from.CompareTo(last) <= 0 ? _places.GetViewBetween(from, last).Min : default;
        return next.Job is not null && next.Priority == first.Priority ? next.Job : first.Job;
    }

    private readonly record struct Place(int Priority, string Key, long Sequence, MemoryJob? Job) : IComparable<Place>
    {
        public static Place Of(MemoryJob job) => new(job.Priority, job.Key, job.Sequence, job);

        public int CompareTo(Place other)
        {
            var order = other.Priority.CompareTo(Priority);
            order = order == 0 ? string.CompareOrdinal(Key, other.Key) : order;
            return order == 0 ? Sequence.CompareTo(other.Sequence) : order;
        }
    }
}
