using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// The texts that the values of one argument were parsed from, in their order: they are what a worker gets, because a type need not write what
/// it parses, and writing may cost more than the text has bytes. A value that was not parsed, or was replaced since, is written by its scalar.
/// Not for concurrent use. For generated code.
/// </summary>
/// <typeparam name="T">The type of the values.</typeparam>
/// <param name="scalar">How a value without its text is written.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ParsedTexts<T>(Scalar<T> scalar)
{
    // As many as the argument has values: bounded by the request that they came with.
    private List<(T Value, string Text)>? _parsed;
    private int _next;

    /// <summary>Forgets all texts.</summary>
    public void Clear() => _parsed = null;

    /// <summary>Starts writing with the first value.</summary>
    public void Restart() => _next = 0;

    /// <summary>Writes the next value that is not null: as the text that it was parsed from, where it is still that value.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="value">The value.</param>
    public void Write(PayloadWriter output, T value)
    {
        if (_parsed is { } parsed && _next < parsed.Count && IsSame(parsed[_next].Value, value))
        {
            Scalars.String.Write(output, parsed[_next].Text);
        }
        else
        {
            scalar.Write(output, value);
        }

        _next++;
    }

    /// <summary>Adds a value that was parsed.</summary>
    internal void Add(T value, string text) => (_parsed ??= []).Add((value, text));

    private static bool IsSame(T one, T other) => typeof(T).IsValueType ? EqualityComparer<T>.Default.Equals(one, other) : ReferenceEquals(one, other);
}
