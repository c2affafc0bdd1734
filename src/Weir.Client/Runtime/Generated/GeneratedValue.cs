using System.ComponentModel;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>A type that generated code reads and writes.</summary>
/// <typeparam name="T">The type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class GeneratedValue<T> : ClientValue<T>
{
    private const int DeepestJson = 64;

    // One for each thread; a failed one is not used again.
    [ThreadStatic]
    private static BindingErrorList? _free;

    private readonly JsonValueReader<T> _read;
    private readonly Action<PayloadWriter, T> _write;

    /// <summary>Describes a type.</summary>
    /// <param name="read">Reads a value.</param>
    /// <param name="write">Writes a value.</param>
    /// <param name="isNullable">Whether null is a value.</param>
    public GeneratedValue(JsonValueReader<T> read, Action<PayloadWriter, T> write, bool isNullable)
        : base(isNullable)
    {
        _read = read;
        _write = write;
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, T value)
    {
        var output = ScratchPayload.Rent();
        _write(output, value);
        writer.WriteRawValue(output.WrittenSpan, skipInputValidation: true);
        ScratchPayload.Return(output);
    }

    /// <inheritdoc/>
    public override T Read(ReadOnlySpan<byte> json)
    {
        // The server has judged its values: as between host and worker, null is accepted for every reference.
        var errors = _free ?? new BindingErrorList { AcceptsNull = true };
        _free = null;
        T value;
        try
        {
            var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = DeepestJson });
            reader.Read();
            value = _read(ref reader, errors);
            if (errors.Count > 0)
            {
                var first = errors.ToArray()[0];
                throw new JsonException($"{first.Name}: {first.Reason}, expected {first.Expected}.");
            }

            if (reader.Read())
            {
                throw new JsonException("It has data after its value.");
            }
        }
        catch (UnknownEnumValueException unknown) when (unknown.Path == UnknownPath)
        {
            throw new UnknownEnumValueException(unknown.TypeName, unknown.Name, errors.Place);
        }

        _free = errors;
        return value;
    }

    /// <summary>The path of an exception that an enum throws: it does not know where it is.</summary>
    internal const string UnknownPath = "";
}
