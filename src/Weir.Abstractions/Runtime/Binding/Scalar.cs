using System.ComponentModel;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>
/// The rules of one scalar type: how it is read from text, read from JSON and written to JSON, always in the
/// invariant culture. Instances are immutable and may be used concurrently.
/// </summary>
/// <typeparam name="T">The type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class Scalar<T>
{
    /// <summary>What a value looks like, for binding errors: <c>a whole number from 0 to 255</c>.</summary>
    public abstract string Expected { get; }

    /// <summary>Reads a value from the text of a query, form or route.</summary>
    /// <param name="text">All of it must be the value.</param>
    /// <param name="value">The value, when the text is one.</param>
    public abstract bool TryParse(ReadOnlySpan<char> text, out T value);

    /// <summary>Reads a value from the current JSON token, which is not null.</summary>
    /// <param name="reader">Positioned on the token; does not advance.</param>
    /// <param name="value">The value, when the token is one.</param>
    public abstract bool TryRead(ref Utf8JsonReader reader, out T value);

    /// <summary>Reads a value that JSON cannot hold, and that a writer for workers has written as text.</summary>
    internal virtual bool TryReadNamed(ref Utf8JsonReader reader, out T value)
    {
        value = default!;
        return false;
    }

    /// <summary>Writes a value as one JSON token.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="value">The value.</param>
    public abstract void Write(PayloadWriter output, T value);
}
