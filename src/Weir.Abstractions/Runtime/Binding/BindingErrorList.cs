using System.ComponentModel;
using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>
/// Collects everything wrong with a call's arguments, each with the path to its value. Reused from call to call; not for
/// concurrent use. At most 100 binding errors are kept, each once.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class BindingErrorList
{
    private const int MostErrors = 100;

    // Beyond it binding errors are only counted: a body with millions of repeated errors must not cost a text for each.
    private const int MostCompared = 10_000;

    private List<BindingError>? _errors;               // Made with the first binding error: usually there is none.
    private PathStep[] _path = new PathStep[8]; // The path to the current value. No List<T> of a type of ours: no precompiled image has it.
    private int _depth;

    /// <summary>How many binding errors were found, including repeated ones and those not kept: a caller that compares counts misses none.</summary>
    public int Count { get; private set; }

    /// <summary>Where the current value comes from; set by the reader.</summary>
    public string Source { get; set; } = "request";

    /// <summary>Whether an argument or member that no parameter asks for is a binding error. Default <c>false</c>.</summary>
    public bool RefuseUnknown { get; set; }

    /// <summary>
    /// Whether null is accepted for every reference, whatever its annotation: between host and worker, where the sender has accepted
    /// the values already. Default <c>false</c>.
    /// </summary>
    public bool AcceptsNull { get; init; }

    /// <summary>The serializer of the entry point, for values that generated code cannot read; <c>null</c>, the default, between host and worker.</summary>
    public JsonValueSerializer? Serializer
    {
        get;
        init
        {
            field = value;
            Replacement = value is { ReplacesGeneratedCode: true } ? value : null;
        }
    }

    /// <summary>The same serializer where it reads all values instead of generated code; <c>null</c> elsewhere.</summary>
    internal JsonValueSerializer? Replacement { get; private init; }

    /// <summary>How documents are read.</summary>
    internal JsonReaderOptions ReaderOptions => Replacement?.ReaderOptions ?? new JsonReaderOptions
    {
        // Between host and worker, the object around the arguments is a level more.
        MaxDepth = PayloadWriter.MaxJsonDepth + (AcceptsNull ? 1 : 0),
    };

    /// <summary>Enters a named value.</summary>
    /// <param name="name">The parameter's or member's name as declared.</param>
    public void Enter(string name) => Enter(new PathStep(name, 0));

    /// <summary>Enters an element.</summary>
    /// <param name="index">Its position, from 0.</param>
    public void Enter(int index) => Enter(new PathStep(null, index));

    /// <summary>Leaves the innermost value.</summary>
    public void Leave() => _path[--_depth] = default;

    /// <summary>The path to the current value; <c>$</c> outside any.</summary>
    public string Place => Path();

    /// <summary>How many values were entered; with <see cref="LeaveTo"/> for readers that stop in the middle.</summary>
    internal int Depth => _depth;

    /// <summary>Leaves everything that was entered after the depth was <paramref name="depth"/>.</summary>
    internal void LeaveTo(int depth)
    {
        Array.Clear(_path, depth, _depth - depth);
        _depth = depth;
    }

    /// <summary>Adds a binding error at the current place.</summary>
    /// <param name="reason">A constant of <see cref="BindingErrorReason"/>.</param>
    /// <param name="expected">What was expected.</param>
    public void Add(string reason, string expected)
    {
        Count++;
        _errors ??= [];
        if (_errors.Count < MostErrors && Count <= MostCompared)
        {
            // A value that repeats the same error a thousand times is listed once.
            var error = new BindingError(Path(), Source, reason, expected);
            if (!_errors.Contains(error))
            {
                _errors.Add(error);
            }
        }
    }

    /// <summary>Adds a binding error of a value inside the current place.</summary>
    /// <param name="name">The parameter's or member's name as declared.</param>
    /// <param name="reason">A constant of <see cref="BindingErrorReason"/>.</param>
    /// <param name="expected">What was expected.</param>
    public void Add(string name, string reason, string expected)
    {
        Enter(name);
        Add(reason, expected);
        Leave();
    }

    /// <summary>
    /// Adds a binding error at the current place for what a constructor or setter of a value's type threw, if that is an
    /// <see cref="ArgumentException"/>, <see cref="FormatException"/>, <see cref="OverflowException"/>, <see cref="ValidationException"/> or
    /// <see cref="JsonException"/>; <c>false</c> for any other exception.
    /// </summary>
    /// <param name="thrown">What was thrown while the value was read.</param>
    /// <param name="includeDetails">Whether the binding error has its message, which may be meant for developers only. Default <c>false</c>.</param>
    public bool TryAdd(Exception thrown, bool includeDetails = false)
    {
        if (thrown is not (ArgumentException or FormatException or OverflowException or ValidationException or JsonException))
        {
            return false;
        }

        Add(BindingErrorReason.Invalid, includeDetails ? $"a value that its type accepts: {thrown.Message}" : "a value that its type accepts");
        return true;
    }

    /// <summary>Whether an argument has an error, or may have one: because the body could not be read, or because not every error was kept.</summary>
    /// <param name="argument">The parameter's name as declared.</param>
    internal bool HasErrorOf(string argument)
    {
        foreach (var error in _errors ?? [])
        {
            if (error.Reason == BindingErrorReason.Malformed || (error.Reason != BindingErrorReason.Validation && IsIn(error.Name, argument)))
            {
                return true;
            }
        }

        return _errors?.Count >= MostErrors;
    }

    /// <summary>The binding errors kept, as a copy.</summary>
    public IReadOnlyList<BindingError> ToArray() => _errors?.ToArray() ?? [];

    /// <summary>Throws what was found, if there is any binding error.</summary>
    /// <exception cref="BindingException">There is a binding error.</exception>
    public void ThrowIfAny()
    {
        if (_errors is { Count: > 0 })
        {
            throw new BindingException(ToArray());
        }
    }

    /// <summary>Clears everything.</summary>
    public void Clear()
    {
        Count = 0;
        _errors?.Clear();
        LeaveTo(0);
        Source = "request";
    }

    private static bool IsIn(string path, string argument) =>
        path.StartsWith(argument, StringComparison.Ordinal) && (path.Length == argument.Length || path[argument.Length] is '.' or '[');

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
        if (_depth == 0)
        {
            return "$";
        }

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
