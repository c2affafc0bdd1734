using System.Collections.Concurrent;
using SQLitePCL;
using Weir.Jobs.Sqlite.Interop;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>
/// The names of kinds and their numbers in rows. As many as an application has operations, so they are kept. The writer adds them; any thread may ask for one.
/// </summary>
internal sealed class Kinds
{
    private readonly Statement _insert;
    private readonly Statement _select;
    private readonly Statement _pause;
    private readonly Dictionary<string, int> _numbers = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<int, string> _names = new();

    // The writer's. As many as there are kinds.
    private readonly HashSet<int> _paused = [];

    // Of the transaction that is open: what goes if it is rolled back.
    private readonly List<string> _added = [];
    private readonly List<int> _toggled = [];

    public Kinds(Connection writer)
    {
        _insert = writer.Prepare("INSERT INTO kind (id, name) VALUES (?1, ?2)");
        _select = writer.Prepare("SELECT id, name, paused FROM kind ORDER BY id");
        _pause = writer.Prepare("UPDATE kind SET paused = ?2 WHERE id = ?1");
        using (_select.Use())
        {
            while (_select.Step())
            {
                Keep(_select.Int(0), _select.Text(1)!);
                if (_select.Int(2) != 0)
                {
                    _paused.Add(_select.Int(0));
                }
            }
        }
    }

    /// <summary>All of them, in the order in which they came.</summary>
    public IEnumerable<int> Numbers => _names.Keys.Order();

    /// <exception cref="SqliteException">There is none of that number.</exception>
    public string Name(int number) => _names.TryGetValue(number, out var name) ? name : throw new SqliteException(raw.SQLITE_CORRUPT, $"There is no kind {number}.");

    /// <summary>The number of a kind; <c>null</c> where there never was a job of it. Any thread.</summary>
    public int? Find(string name)
    {
        lock (_numbers)
        {
            return _numbers.TryGetValue(name, out var number) ? number : null;
        }
    }

    /// <summary>The number of a kind, which is new where there is none. The writer only, in a transaction.</summary>
    public int Get(string name)
    {
        if (Find(name) is { } known)
        {
            return known;
        }

        var number = _names.IsEmpty ? 1 : _names.Keys.Max() + 1;
        _insert.Bind(1, number).Bind(2, name).Run();
        _added.Add(name);
        Keep(number, name);
        return number;
    }

    /// <summary>The kinds that are paused. The writer only.</summary>
    public List<string> Paused => [.. _paused.Select(Name)];

    /// <summary>Whether a kind is paused. The writer only.</summary>
    public bool IsPaused(int kind) => _paused.Contains(kind);

    /// <summary>Pauses a kind, or resumes it. The writer only, in a transaction.</summary>
    /// <returns>Whether it was the other before.</returns>
    public bool Pause(int kind, bool isPaused)
    {
        if (isPaused ? !_paused.Add(kind) : !_paused.Remove(kind))
        {
            return false;
        }

        _pause.Bind(1, kind).Bind(2, isPaused ? 1 : 0).Run();
        _toggled.Add(kind);
        return true;
    }

    /// <summary>The transaction was committed.</summary>
    public void Commit()
    {
        _added.Clear();
        _toggled.Clear();
    }

    /// <summary>The transaction was rolled back.</summary>
    public void RollBack()
    {
        foreach (var kind in _toggled)
        {
            if (!_paused.Remove(kind))
            {
                _paused.Add(kind);
            }
        }

        foreach (var name in _added)
        {
            lock (_numbers)
            {
                _numbers.Remove(name, out var number);
                _names.TryRemove(number, out _);
            }
        }

        _added.Clear();
        _toggled.Clear();
    }

    private void Keep(int number, string name)
    {
        lock (_numbers)
        {
            _numbers.Add(name, number);
            _names[number] = name;
        }
    }
}
