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

    private List<Fault>? _faults;               // Made with the first one: mostly there is none.
    private PathStep[] _path = new PathStep[8]; // The way to the current value. No list: one of values of ours is in no precompiled image.
    private int _depth;

    /// <summary>How many faults were found, those beyond the kept ones too: whoever compares counts sees every fault.</summary>
    public int Count { get; private set; }

    /// <summary>Where the current value comes from; set by the reader.</summary>
    public string Source { get; set; } = "request";

    /// <summary>Whether an argument or member that nobody asked for is a fault. Default <c>false</c>.</summary>
    public bool RefuseUnknown { get; set; }

    /// <summary>Goes into a named value.</summary>
    /// <param name="name">The parameter's or member's name as declared.</param>
    public void Enter(string name) => Enter(new PathStep(name, 0));

    /// <summary>Goes into an element.</summary>
    /// <param name="index">Its position, from 0.</param>
    public void Enter(int index) => Enter(new PathStep(null, index));

    /// <summary>Comes out of the innermost value.</summary>
    public void Leave() => _path[--_depth] = default;

    /// <summary>How many values were gone into; with <see cref="LeaveTo"/> for readers that are broken off.</summary>
    internal int Depth => _depth;

    /// <summary>Comes out of everything that was gone into after there were <paramref name="depth"/>.</summary>
    internal void LeaveTo(int depth)
    {
        Array.Clear(_path, depth, _depth - depth);
        _depth = depth;
    }

    /// <summary>Adds a fault at the current place.</summary>
    /// <param name="reason">A constant of <see cref="FaultReason"/>.</param>
    /// <param name="expected">What would have been right.</param>
    public void Add(string reason, string expected)
    {
        Count++;
        _faults ??= [];
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
        if (_faults is not null && _faults.Count > count)
        {
            _faults.RemoveRange(count, _faults.Count - count);
        }
    }

    /// <summary>The faults kept, as a copy.</summary>
    public IReadOnlyList<Fault> ToArray() => _faults?.ToArray() ?? [];

    /// <summary>Throws what was found, if anything was.</summary>
    /// <exception cref="BindingException">There is a fault.</exception>
    public void ThrowIfAny()
    {
        if (_faults is { Count: > 0 })
        {
            throw new BindingException(ToArray());
        }
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        Count = 0;
        _faults?.Clear();
        LeaveTo(0);
        Source = "request";
    }

    private void Enter(PathStep step)
    {
        if (_depth == _path.Length)
        {
            var longer = new PathStep[_depth * 2];
            Array.Copy(_path, longer, _depth);
            _path = longer;
        }

        _path[_depth++] = step;
    }

    private string Path()
    {
        if (_depth == 1 && _path[0].Name is { } only)
        {
            return only;
        }

        var path = new StringBuilder();
        for (var i = 0; i < _depth; i++)
        {
            if (_path[i].Name is not { } name)
            {
                path.Append(CultureInfo.InvariantCulture, $"[{_path[i].Index}]");
            }
            else
            {
                path.Append(path.Length == 0 ? "" : ".").Append(name);
            }
        }

        return path.Length == 0 ? "$" : path.ToString();
    }

    // A name, or an element's index.
    private readonly struct PathStep(string? name, int index)
    {
        public string? Name => name;

        public int Index => index;
    }
}
