namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>The jobs of one key that were locked, in their order.</summary>
/// <param name="stored">The key as it is stored.</param>
/// <param name="name">The key as it was submitted.</param>
internal sealed class KeyRows(string stored, string name)
{
    // As many as were asked for, which is no more than there are places.
    private readonly List<(Guid Id, long Ready)> _rows = [];
    private int _taken;

    public string Stored { get; } = stored;

    public string Name { get; } = name;

    /// <summary>Whether further jobs of the key may be ready: as many were found as were asked for.</summary>
    public bool MayHaveMore { get; private set; }

    /// <summary>Behind which no job of the key was looked at.</summary>
    public long Last { get; private set; }

    public int Left => _rows.Count - _taken;

    public int Taken => _taken;

    /// <summary>The place of the first job that is left.</summary>
    public long FirstLeft => _rows[_taken].Ready;

    /// <summary>Adds what was found.</summary>
    /// <param name="rows">In their order, all behind those before.</param>
    /// <param name="asked">How many were asked for.</param>
    /// <param name="low">Behind which the search began.</param>
    public void Add(IReadOnlyList<(Guid Id, long Ready)> rows, int asked, long low)
    {
        _rows.AddRange(rows);
        Last = rows.Count == 0 ? Math.Max(Last, low) : rows[^1].Ready;
        MayHaveMore = rows.Count >= asked;
    }

    public Guid Take() => _rows[_taken++].Id;
}
