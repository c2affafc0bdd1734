using System.ComponentModel;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>How one type is read from JSON and written to it. Immutable; may be used concurrently.</summary>
/// <typeparam name="T">The type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ClientValue<T>
{
    private protected ClientValue(bool isNullable) => IsNullable = isNullable;

    /// <summary>Whether null is a value.</summary>
    internal bool IsNullable { get; }

    /// <summary>Writes a value where one may stand.</summary>
    /// <param name="writer">The writer.</param>
    /// <param name="value">The value.</param>
    public abstract void Write(Utf8JsonWriter writer, T value);

    /// <summary>Reads one value.</summary>
    /// <param name="json">All of it must be the value.</param>
    /// <exception cref="JsonException">It is not JSON, or not such a value.</exception>
    /// <exception cref="UnknownEnumValueException">An enum does not declare a name in it.</exception>
    public abstract T Read(ReadOnlySpan<byte> json);

    /// <summary>As <see cref="Read"/>, of what a server sent: whatever is wrong with it is one kind of exception.</summary>
    internal T ReadChecked(ReadOnlySpan<byte> json)
    {
        T value;
        try
        {
            value = Read(json);
        }
        catch (Exception error) when (error is not (JsonException or WeirException or OutOfMemoryException))
        {
            // Text that is none (half of a surrogate pair), and what constructors and parsers of the contract's types throw.
            throw new JsonException(error.Message, error);
        }

        return value is not null || IsNullable ? value : throw new JsonException("It is null, and the contract says that it never is.");
    }
}
