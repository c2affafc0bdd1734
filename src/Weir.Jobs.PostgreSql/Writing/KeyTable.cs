using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>An idempotency key: of a kind, and of an owner.</summary>
internal readonly record struct KeyId(string Kind, string? Owner, string Key) : IComparable<KeyId>
{
    // All processes lock several keys in the same order.
    public int CompareTo(KeyId other)
    {
        var order = string.CompareOrdinal(Kind, other.Kind);
        order = order == 0 ? string.CompareOrdinal(Key, other.Key) : order;
        return order == 0 ? string.CompareOrdinal(Owner, other.Owner) : order;
    }
}

/// <summary>A key, and the job for which it stands.</summary>
internal readonly record struct KeyHolder(Guid Job, ulong Fingerprint, JobUniqueness Until)
{
    public static KeyHolder Of(JobRow row) => new(row.Id, row.Fingerprint, row.UniqueUntil);
}

/// <summary>The idempotency keys that a commit names: they are locked.</summary>
internal sealed class KeyTable
{
    // As many as a batch names.
    private readonly Dictionary<KeyId, KeyHolder> _stored = [];
    private readonly Dictionary<KeyId, KeyHolder> _now = [];
    private readonly HashSet<(KeyId Key, Guid Job)> _freed = [];
    private readonly HashSet<KeyId> _wanted = [];

    /// <summary>The keys whose rows change.</summary>
    public IEnumerable<(KeyId Key, KeyHolder? Holder)> Changed
    {
        get
        {
            foreach (var (key, stored) in _stored)
            {
                if (!_now.TryGetValue(key, out var holder))
                {
                    yield return (key, null);
                }
                else if (holder != stored)
                {
                    yield return (key, holder);
                }
            }
        }
    }

    /// <summary>Keys that were not looked for, and stand for these jobs no more.</summary>
    public IReadOnlyCollection<(KeyId Key, Guid Job)> Freed => _freed;

    /// <summary>Whether every key that was looked for has a row.</summary>
    public bool IsComplete => _wanted.All(IsLoaded);

    /// <summary>A row of this key is read, and written where there is none.</summary>
    public void Want(KeyId key) => _wanted.Add(key);

    /// <summary>The row of a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="stored">What is stored.</param>
    /// <param name="isHeld">Whether it was stored before this commit.</param>
    public void Load(KeyId key, KeyHolder stored, bool isHeld)
    {
        _stored[key] = stored;
        if (isHeld)
        {
            _now[key] = stored;
        }
    }

    public bool IsLoaded(KeyId key) => _stored.ContainsKey(key);

    public KeyHolder? Find(KeyId key) => _now.TryGetValue(key, out var holder) ? holder : null;

    /// <summary>A job has changed: it holds its key, or it does not.</summary>
    public void Change(JobRow row)
    {
        if (row.IdempotencyKey is not { } text)
        {
            return;
        }

        var key = new KeyId(row.Kind, row.Owner, text);
        if (row.HoldsKey)
        {
            if (IsLoaded(key))
            {
                _now[key] = KeyHolder.Of(row);
            }

            _freed.Remove((key, row.Id));
        }
        else if (!IsLoaded(key))
        {
            _freed.Add((key, row.Id));
        }
        else if (Find(key)?.Job == row.Id)
        {
            _now.Remove(key);
        }
    }
}
