namespace Weir.Jobs.Storage;

/// <summary>The jobs of a kind that are ready, in memory, in the order in which they are claimed. What it costs to find the next one grows with the logarithm of their number.</summary>
internal sealed class ReadyJobs
{
    private readonly SortedSet<Place> _places = new(Comparer<Place>.Create(static (a, b) => a.CompareTo(b)));

    public bool IsEmpty => _places.Count == 0;

    /// <summary>The job that was submitted first; looked for among all.</summary>
    public MemoryJob? Oldest => _places.MinBy(static place => place.Job!.Number).Job;

    /// <summary>The place of the job that has been ready longest; looked for among all.</summary>
    public long FirstSequence => _places.Min(static place => place.Sequence);

    public void Add(MemoryJob job) => _places.Add(Place.Of(job));

    public void Remove(MemoryJob job) => _places.Remove(Place.Of(job));

    /// <summary>Of a priority, of the first key after this one, the oldest; <c>null</c> where there is none.</summary>
    /// <param name="priority">The priority.</param>
    /// <param name="afterKey"><c>null</c> for the first key of all.</param>
    public MemoryJob? Next(JobPriority priority, string? afterKey)
    {
        // No key is between one and the same with a zero behind it.
        var (from, last) = (new Place(priority, afterKey is null ? "" : afterKey + '\0', 0, null), _places.Max);
        var next = last.Job is not null && from.CompareTo(last) <= 0 ? _places.GetViewBetween(from, last).Min : default;
        return next.Job is not null && next.Priority == priority ? next.Job : null;
    }

    private readonly record struct Place(JobPriority Priority, string Key, long Sequence, MemoryJob? Job) : IComparable<Place>
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
