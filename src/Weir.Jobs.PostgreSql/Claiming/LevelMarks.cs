using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>Low-water marks of one kind and priority: one for all keys, and one for each key of which many jobs were claimed.</summary>
internal sealed class LevelMarks
{
    /// <summary>The index is asked for the keys of which fewer were claimed: to pass over so many entries costs less than a mark.</summary>
    private const int Many = 16;
    private const int MostKeys = 1_024;
    private const int KeptKeys = 768;

    /// <summary>So many keys are passed over by their marks although they had no job last time. More would cost more than the entries of jobs that are gone.</summary>
    private const int MostEmpty = 16;

    // In the order of the database; no more than MostKeys.
    private readonly List<KeyMark> _keys = [];
    private LowMark _all;
    private int _marked;
    private long _time;

    /// <summary>No job at this place or before is ready, whatever its key.</summary>
    public long Low => _all.Usable;

    /// <summary>Whether a job was ready last time.</summary>
    public bool HasJobs { get; set; }

    /// <summary>The next keys with marks, from a key on round to it, those behind it first.</summary>
    /// <param name="from">Where they begin.</param>
    /// <param name="start">Where the round ends.</param>
    /// <param name="isWrapped">Whether those up to the start are wanted only.</param>
    /// <param name="most">How many of each part at most.</param>
    public (IReadOnlyList<(string Key, long Low)> Ahead, IReadOnlyList<(string Key, long Low)> Behind) Next(string from, string? start, bool isWrapped, int most)
    {
        if (_marked == 0)
        {
            return ([], []);
        }

        return isWrapped
            ? ([], Part(from, start, most))
            : (Part(from, null, most), start is null ? [] : Part("", start, most));
    }

    /// <summary>What a commit has seen of a key.</summary>
    /// <param name="stored">The key.</param>
    /// <param name="place">No job at this place or before is ready.</param>
    /// <param name="claimed">How many of it were claimed.</param>
    public void See(string stored, long place, int claimed)
    {
        var index = Search(stored);
        if (index < 0)
        {
            if (claimed == 0)
            {
                return;
            }

            _keys.Insert(index = ~index, new KeyMark(stored));
        }

        var key = _keys[index];
        _marked -= key.Claimed >= Many ? 1 : 0;
        key.Mark.See(place);
        key.Claimed += claimed;
        if (claimed > 0)
        {
            key.Time = ++_time;
        }
        else if (_marked >= MostEmpty)
        {
            key.Claimed = 0;
        }

        _marked += key.Claimed >= Many ? 1 : 0;
        if (_keys.Count > MostKeys)
        {
            var times = _keys.Select(static one => one.Time).Order().ToArray();
            var first = times[^KeptKeys];
            _keys.RemoveAll(one => one.Time < first);
            _marked = _keys.Count(static one => one.Claimed >= Many);
        }
    }

    /// <summary>What a commit that has seen all keys has seen.</summary>
    public void See(long place) => _all.See(place);

    public void Use()
    {
        _all.Use();
        foreach (var key in _keys)
        {
            key.Mark.Use();
        }
    }

    public void Wait()
    {
        _all.Wait();
        foreach (var key in _keys)
        {
            key.Mark.Wait();
        }
    }

    /// <summary>Nothing is passed over until it was looked at once more.</summary>
    public void Review()
    {
        _all.Review();
        foreach (var key in _keys)
        {
            key.Mark.Review();
        }
    }

    private List<(string Key, long Low)> Part(string from, string? last, int most)
    {
        List<(string Key, long Low)> found = [];
        var index = Search(from);
        for (index = index < 0 ? ~index : index; index < _keys.Count && found.Count < most; index++)
        {
            var key = _keys[index];
            if (last is not null && StoredText.Compare(key.Stored, last) > 0)
            {
                break;
            }

            if (key.Claimed >= Many)
            {
                found.Add((key.Stored, Math.Max(key.Mark.Usable, Low)));
            }
        }

        return found;
    }

    private int Search(string stored)
    {
        var (low, high) = (0, _keys.Count - 1);
        while (low <= high)
        {
            var middle = (low + high) / 2;
            var order = StoredText.Compare(_keys[middle].Stored, stored);
            if (order == 0)
            {
                return middle;
            }

            (low, high) = order < 0 ? (middle + 1, high) : (low, middle - 1);
        }

        return ~low;
    }

    private sealed class KeyMark(string stored)
    {
        public LowMark Mark;

        public string Stored { get; } = stored;

        /// <summary>How many jobs of it were claimed since it is here.</summary>
        public int Claimed { get; set; }

        public long Time { get; set; }
    }
}
