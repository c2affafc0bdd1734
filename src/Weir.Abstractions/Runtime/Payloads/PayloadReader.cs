using System.ComponentModel;
using System.Text;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>Reads what the other side of a process boundary encoded; what cannot be read is a violation of the protocol.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class PayloadReader
{
    private const int ShortText = 64;

    [ThreadStatic]
    private static BindingErrorList? _errors;

    /// <summary>Reads one JSON value.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="payload">All its bytes.</param>
    /// <param name="readValue">Reads it; handles null itself.</param>
    /// <exception cref="ProtocolViolationException">The bytes are not such a value.</exception>
    public static T Read<T>(ReadOnlySpan<byte> payload, JsonValueReader<T> readValue)
    {
        ArgumentNullException.ThrowIfNull(readValue);
        var errors = Begin();
        try
        {
            var reader = Open(payload);
            var value = readValue(ref reader, errors);
            return reader.Read() || errors.Count > 0 ? throw Violation(errors) : value;
        }
        catch (JsonException error)
        {
            throw new ProtocolViolationException($"A result is not JSON: {error.Message}");
        }
    }

    /// <summary>Reads one JSON scalar.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="payload">All its bytes.</param>
    /// <param name="scalar">How to read it.</param>
    /// <exception cref="ProtocolViolationException">The bytes are not such a value.</exception>
    public static T Read<T>(ReadOnlySpan<byte> payload, Scalar<T> scalar)
    {
        var errors = Begin();
        try
        {
            var reader = Open(payload);
            var value = JsonValues.Read(ref reader, errors, scalar);
            return reader.Read() || errors.Count > 0 ? throw Violation(errors) : value;
        }
        catch (JsonException error)
        {
            throw new ProtocolViolationException($"A result is not JSON: {error.Message}");
        }
    }

    /// <summary>Writes text, plain or as a JSON string; null is <c>null</c> in JSON and empty when raw.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="value">The text.</param>
    /// <param name="encoding">How.</param>
    public static void WriteText(PayloadWriter output, string? value, ResultEncoding encoding)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (encoding == ResultEncoding.Raw)
        {
            output.WriteText(value);
            return;
        }

        Scalars.String.Write(output, value!);
    }

    /// <summary>Reads text that <see cref="WriteText"/> wrote.</summary>
    /// <param name="payload">All its bytes.</param>
    /// <param name="encoding">How.</param>
    /// <exception cref="ProtocolViolationException">The bytes are not text.</exception>
    public static string? ReadText(ReadOnlySpan<byte> payload, ResultEncoding encoding) =>
        encoding == ResultEncoding.Raw
            ? Encoding.UTF8.GetString(payload)
            : TryReadPlain(payload) ?? (payload.SequenceEqual("null"u8) ? null : Read(payload, Scalars.String));

    /// <summary>Writes bytes, raw or as base64 in a JSON string; null is <c>null</c> in JSON and empty when raw.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="isNull">Whether there are none.</param>
    /// <param name="encoding">How.</param>
    public static void WriteBytes(PayloadWriter output, ReadOnlySpan<byte> value, bool isNull, ResultEncoding encoding)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (encoding == ResultEncoding.Raw)
        {
            output.Write(value);
            return;
        }

        if (isNull)
        {
            output.Write("null"u8);
        }
        else
        {
            output.WriteBase64(value);
        }
    }

    /// <summary>Reads bytes that <see cref="WriteBytes"/> wrote.</summary>
    /// <param name="payload">All its bytes.</param>
    /// <param name="encoding">How.</param>
    /// <exception cref="ProtocolViolationException">They are not bytes in this encoding.</exception>
    public static byte[]? ReadBytes(ReadOnlySpan<byte> payload, ResultEncoding encoding) =>
        encoding == ResultEncoding.Raw
            ? payload.ToArray()
            : payload.SequenceEqual("null"u8) ? null : Read(payload, Scalars.Bytes);

    private static string? TryReadPlain(ReadOnlySpan<byte> payload)
    {
        if (payload is not [(byte)'"', .. var text, (byte)'"'] || text.Length > ShortText)
        {
            return null;
        }

        Span<char> characters = stackalloc char[ShortText];
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] is < (byte)' ' or > (byte)'~' or (byte)'"' or (byte)'\\')
            {
                return null;
            }

            characters[i] = (char)text[i];
        }

        return new string(characters[..text.Length]);
    }

    private static BindingErrorList Begin()
    {
        var errors = _errors ??= new BindingErrorList { AcceptsNull = true };
        errors.Clear();
        errors.Source = "frame";
        return errors;
    }

    private static Utf8JsonReader Open(ReadOnlySpan<byte> payload)
    {
        var reader = new Utf8JsonReader(payload, new JsonReaderOptions { MaxDepth = PayloadWriter.MaxJsonDepth });
        reader.Read();
        return reader;
    }

    private static ProtocolViolationException Violation(BindingErrorList errors) => new(
        errors.Count == 0 ? "A result has data after its JSON value." : $"A result cannot be read: {errors.ToArray()[0]}.");
}
