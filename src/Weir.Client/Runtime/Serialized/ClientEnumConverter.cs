using System.ComponentModel;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Weir.Runtime;

/// <summary>Lets the serializer read and write an enum by its names.</summary>
/// <typeparam name="T">The enum.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ClientEnumConverter<T> : JsonConverter<T>
    where T : struct, Enum
{
    private readonly ClientEnum<T> _rules;

    /// <summary>Describes an enum.</summary>
    /// <param name="rules">Its names.</param>
    public ClientEnumConverter(ClientEnum<T> rules) => _rules = rules;

    /// <inheritdoc/>
    public override T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => reader.TokenType switch
    {
        JsonTokenType.String => Parse(reader.GetString()!),
        JsonTokenType.Number when reader.TryGetInt64(out var number) => Parse(number.ToString(CultureInfo.InvariantCulture)),
        JsonTokenType.Number when reader.TryGetUInt64(out var number) => Parse(number.ToString(CultureInfo.InvariantCulture)),
        _ => throw new JsonException($"Expected {_rules.Expected}."),
    };

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options)
    {
        var text = _rules.Text(value);
        if (text.Length > 0 && (text[0] == '-' || char.IsDigit(text[0])))
        {
            writer.WriteRawValue(text);
        }
        else
        {
            writer.WriteStringValue(text);
        }
    }

    /// <inheritdoc/>
    public override T ReadAsPropertyName(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => Parse(reader.GetString()!);

    /// <inheritdoc/>
    public override void WriteAsPropertyName(Utf8JsonWriter writer, T value, JsonSerializerOptions options) => writer.WritePropertyName(_rules.Text(value));

    private T Parse(string text)
    {
        try
        {
            return _rules.TryParse(text.AsSpan(), out var value) ? value : throw new JsonException($"Expected {_rules.Expected}.");
        }
        catch (UnknownEnumValueException unknown)
        {
            // The serializer adds the path to this kind of exception only.
            throw new JsonException(unknown.Message, unknown);
        }
    }
}
