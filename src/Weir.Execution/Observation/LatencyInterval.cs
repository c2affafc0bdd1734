namespace Weir.Execution.Observation;

/// <summary>The calls between two readings of <see cref="LatencyBuckets"/>: only the buckets that have some, 4 bytes each. Immutable.</summary>
internal readonly struct LatencyInterval
{
    // A bucket in the highest 8 bits, its count in the others; a larger count is in several.
    private const int CountBits = 24;
    private const uint MostOfOne = (1u << CountBits) - 1;

    private readonly uint[]? _entries;

    private LatencyInterval(uint[] entries) => _entries = entries;

    /// <summary>What it uses, in bytes.</summary>
    public int Bytes => (_entries?.Length ?? 0) * sizeof(uint);

    /// <summary>The difference of two readings; the first may be from before its counts wrapped.</summary>
    public static LatencyInterval Between(ReadOnlySpan<uint> before, ReadOnlySpan<uint> after)
    {
        var length = 0;
        for (var i = 0; i < LatencyBuckets.Count; i++)
        {
            length += Entries(unchecked(after[i] - before[i]));
        }

        if (length == 0)
        {
            return default;
        }

        var entries = new uint[length];
        var next = 0;
        for (var i = 0; i < LatencyBuckets.Count; i++)
        {
            for (var rest = unchecked(after[i] - before[i]); rest > 0; rest -= Math.Min(rest, MostOfOne))
            {
                entries[next++] = ((uint)i << CountBits) | Math.Min(rest, MostOfOne);
            }
        }

        return new LatencyInterval(entries);
    }

    public Enumerator GetEnumerator() => new(_entries);

    private static int Entries(uint count) => (int)(((ulong)count + MostOfOne - 1) / MostOfOne);

    /// <summary>Reads the entries.</summary>
    public struct Enumerator(uint[]? entries)
    {
        private int _next;

        public (int Index, uint Count) Current { get; private set; }

        public bool MoveNext()
        {
            if (entries is null || _next == entries.Length)
            {
                return false;
            }

            var entry = entries[_next++];
            Current = ((int)(entry >> CountBits), entry & MostOfOne);
            return true;
        }
    }
}
