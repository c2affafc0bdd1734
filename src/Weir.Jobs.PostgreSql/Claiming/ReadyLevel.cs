using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>
/// What one commit knows of the jobs of one kind and priority that are ready: all keys from where the turns are up to one, then from the first key on, until the round is complete.
/// </summary>
/// <param name="start">The key that was served last, as it is stored; <c>null</c> for none.</param>
/// <param name="low">No job at this place or before is looked for.</param>
internal sealed class ReadyLevel(string? start, long low)
{
    // Keys behind the start, and the others, in their order. No more than were asked for: at most 64 in each round of questions.
    private readonly List<KeyRows> _ahead = [];
    private readonly List<KeyRows> _behind = [];
    private bool _isAheadComplete;
    private bool _isBehindComplete = start is null;

    /// <summary>What is known of the next key.</summary>
    public enum Answer
    {
        /// <summary>It has a job.</summary>
        Found,

        /// <summary>There is none.</summary>
        None,

        /// <summary>More jobs of the key have to be asked for.</summary>
        Deeper,

        /// <summary>More keys have to be asked for.</summary>
        Further,
    }

    public string? Start { get; } = start;

    public long Low { get; } = low;

    /// <summary>Whether anything was asked for.</summary>
    public bool IsAsked { get; private set; }

    public bool IsComplete => _isAheadComplete && _isBehindComplete;

    /// <summary>Where the search for further keys begins.</summary>
    public string From => !_isAheadComplete ? Behind(_ahead, Start) : Behind(_behind, null);

    /// <summary>Whether the search for further keys has passed the last one.</summary>
    public bool IsWrapped => _isAheadComplete || Start is null;

    public IEnumerable<KeyRows> Keys => _ahead.Concat(_behind);

    /// <summary>How many jobs were locked and not taken.</summary>
    public int Left => Keys.Sum(static key => key.Left);

    /// <summary>Whether no job is left for certain.</summary>
    public bool IsOver => IsComplete && Keys.All(static key => key is { Left: 0, MayHaveMore: false });

    /// <summary>The first key after another one that has a job, or may have one.</summary>
    /// <param name="after">As it was submitted; <c>null</c> for the first key of all.</param>
    /// <param name="hasRoom">Whether a job of a key may start.</param>
    /// <param name="found">The key.</param>
    public Answer Next(string? after, Func<string, bool> hasRoom, out KeyRows? found)
    {
        var from = StoredText.Write(after);
        if (Start is not null && (from is null || StoredText.Compare(from, Start) < 0))
        {
            if (Next(_behind, from, hasRoom, out found) is var answer && answer != Answer.None)
            {
                return answer;
            }

            if (!_isBehindComplete)
            {
                return Answer.Further;
            }
        }

        return Next(_ahead, from, hasRoom, out found) is var next && next != Answer.None ? next : _isAheadComplete ? Answer.None : Answer.Further;
    }

    /// <summary>A key was found by the search for further ones.</summary>
    public KeyRows Add(string stored, bool isWrapped)
    {
        var keys = isWrapped && Start is not null ? _behind : _ahead;
        keys.Add(new KeyRows(stored, StoredText.Read(stored)));
        return keys[^1];
    }

    public KeyRows? Find(string stored)
    {
        var index = Search(_ahead, stored);
        return index >= 0 ? _ahead[index] : Search(_behind, stored) is >= 0 and var behind ? _behind[behind] : null;
    }

    /// <summary>The search for further keys has passed the last one, or came round.</summary>
    public void End(bool isRound)
    {
        _isAheadComplete = true;
        _isBehindComplete |= isRound;
    }

    /// <summary>It is asked for.</summary>
    public void Ask() => IsAsked = true;

    private static Answer Next(List<KeyRows> keys, string? after, Func<string, bool> hasRoom, out KeyRows? found)
    {
        var index = after is null ? 0 : Search(keys, after);
        for (index = index < 0 ? ~index : after is null ? 0 : index + 1; index < keys.Count; index++)
        {
            found = keys[index];
            if (found.Left > 0)
            {
                return Answer.Found;
            }

            // Of a key without room it does not matter whether it has more.
            if (found.MayHaveMore && hasRoom(found.Name))
            {
                return Answer.Deeper;
            }
        }

        found = null;
        return Answer.None;
    }

    private static int Search(List<KeyRows> keys, string stored)
    {
        var (low, high) = (0, keys.Count - 1);
        while (low <= high)
        {
            var middle = (low + high) / 2;
            var order = StoredText.Compare(keys[middle].Stored, stored);
            if (order == 0)
            {
                return middle;
            }

            (low, high) = order < 0 ? (middle + 1, high) : (low, middle - 1);
        }

        return ~low;
    }

    // No text is between a key and the same with the first character behind it.
    private static string Behind(List<KeyRows> keys, string? start) => keys.Count > 0 ? keys[^1].Stored + '\u0001' : start is null ? "" : start + '\u0001';
}
