using System.ComponentModel;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>How one type is read from JSON and written to it. Immutable; may be used concurrently.</summary>
/// <typeparam name="T">The type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ClientValue<T>
{
    /// <summary>Writes a value where one may stand.</summary>
    /// <param name="writer">The writer.</param>
    /// <param name="value">The value.</param>
    public abstract void Write(Utf8JsonWriter writer, T value);

    /// <summary>Reads one value.</summary>
    /// <param name="json">All of it must be the value.</param>
    /// <exception cref="JsonException">It is not JSON, or not such a value.</exception>
    /// <exception cref="UnknownEnumValueException">An enum does not declare a name in it.</exception>
    public abstract T Read(ReadOnlySpan<byte> json);
}
