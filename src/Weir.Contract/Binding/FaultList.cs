using System.Globalization;
using System.Text;

namespace Weir;

/// <summary>
/// Collects everything wrong with a call's arguments, each with the way to its place. Reused from call to call; not for
/// concurrent use. At most 100 faults are kept.
/// </summary>
public sealed class FaultList
{
    private const int MostFaults = 100;

    private readonly List<Fault> _faults = [];

    // The way to the current value: names, and for elements their index with a null name.
    private readonly List<(string? Name, int Index)> _path = [];

    /// <summary>How many faults were found, those beyond the kept ones too: whoever compares counts sees every fault.</summary>
    public int Count { get; private set; }

    /// <summary>Where the current value comes from; set by the reader.</summary>
    public string Source { get; set; } = "request";

    /// <summary>Whether an argument or member that nobody asked for is a fault. Default <c>false</c>.</summary>
    public bool RefuseUnknown { get; set; }

    /// <summary>Goes into a named value.</summary>
    /// <param name="name">The parameter's or member's name as declared.</param>
    public void Enter(string name) => _path.Add((name, 0));

    /// <summary>Goes into an element.</summary>
    /// <param name="index">Its position, from 0.</param>
    public void Enter(int index) => _path.Add((null, index));

    /// <summary>Comes out of the innermost value.</summary>
    public void Leave() => _path.RemoveAt(_path.Count - 1);

    /// <summary>How many values were gone into; with <see cref="LeaveTo"/> for readers that are broken off.</summary>
    internal int Depth => _path.Count;

    /// <summary>Comes out of everything that was gone into after there were <paramref name="depth"/>.</summary>
    internal void LeaveTo(int depth) => _path.RemoveRange(depth, _path.Count - depth);

    /// <summary>Adds a fault at the current place.</summary>
    /// <param name="reason">A constant of <see cref="FaultReason"/>.</param>
    /// <param name="expected">What would have been right.</param>
    public void Add(string reason, string expected)
    {
        Count++;
        if (_faults.Count < MostFaults)
        {
            _faults.Add(new Fault(Path(), Source, reason, expected));
        }
    }

    /// <summary>Adds a fault of a value inside the current place.</summary>
    /// <param name="name">The parameter's or member's name as declared.</param>
    /// <param name="reason">A constant of <see cref="FaultReason"/>.</param>
    /// <param name="expected">What would have been right.</param>
    public void Add(string name, string reason, string expected)
    {
        Enter(name);
        Add(reason, expected);
        Leave();
    }

    /// <summary>Forgets the faults found after there were <paramref name="count"/>.</summary>
    /// <param name="count">A count this list once had.</param>
    public void Truncate(int count)
    {
        Count = count;
        if (_faults.Count > count)
        {
            _faults.RemoveRange(count, _faults.Count - count);
        }
    }

    /// <summary>The faults kept, as a copy.</summary>
    public IReadOnlyList<Fault> ToArray() => _faults.ToArray();

    /// <summary>Throws what was found, if anything was.</summary>
    /// <exception cref="BindingException">There is a fault.</exception>
    public void ThrowIfAny()
    {
        if (_faults.Count > 0)
        {
            throw new BindingException(ToArray());
        }
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        Count = 0;
        _faults.Clear();
        _path.Clear();
        Source = "request";
    }

    private string Path()
    {
        if (_path.Count == 1 && _path[0].Name is { } only)
        {
            return only;
        }

        var path = new StringBuilder();
        foreach (var (name, index) in _path)
        {
            if (name is null)
            {
                path.Append(CultureInfo.InvariantCulture, $"[{index}]");
            }
            else
            {
                path.Append(path.Length == 0 ? "" : ".").Append(name);
            }
        }

        return path.Length == 0 ? "$" : path.ToString();
    }
}
