using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Weir.Runtime;

/// <summary>
/// The options of <c>System.Text.Json</c> by which the serializer agrees with generated code: camel case, strict numbers, no member
/// twice, 64 levels, enums as text.
/// </summary>
internal static class SerializerRules
{
    // The serializer's own converters differ from generated code: these read fewer texts, or more. Its numbers agree, and only they follow [JsonNumberHandling].
    private static readonly JsonConverter[] TextConverters =
    [
        new ScalarConverter<char>(Scalars.Char, static (writer, value) => writer.WriteStringValue([value])),
        new ScalarConverter<Guid>(Scalars.Guid, static (writer, value) => writer.WriteStringValue(value)),
        new ScalarConverter<DateTime>(Scalars.DateTime, static (writer, value) => writer.WriteStringValue(value)),
        new ScalarConverter<DateTimeOffset>(Scalars.DateTimeOffset, static (writer, value) => writer.WriteStringValue(value)),
        new ScalarConverter<DateOnly>(Scalars.DateOnly, static (writer, value) => Write(writer, value, "O")),
        new ScalarConverter<TimeOnly>(Scalars.TimeOnly, static (writer, value) => Write(writer, value.ToTimeSpan(), "c")),
        new ScalarConverter<TimeSpan>(Scalars.TimeSpan, static (writer, value) => Write(writer, value, "c")),
    ];

    // JSON that is kept as it came, half of a surrogate pair in its text included: it must leave as it came.
    private static readonly JsonConverter[] RawConverters =
    [
        new RawJsonConverter<JsonElement>(JsonMetadataServices.JsonElementConverter, RawJson.Write),
        new RawJsonConverter<JsonDocument>(JsonMetadataServices.JsonDocumentConverter, static (writer, value) => RawJson.Write(writer, value.RootElement)),
    ];

    /// <summary>The options for what comes from callers and is sent to them.</summary>
    /// <param name="catalogs">What the assemblies of the application add.</param>
    /// <param name="application">The application's own options: what they set holds, strictness beyond it is added.</param>
    /// <param name="plain">The same options as they are where an application changes nothing.</param>
    /// <param name="refuseUnknown">Whether members that no property takes are refused.</param>
    internal static JsonSerializerOptions ForCallers(IReadOnlyList<CatalogJson> catalogs, JsonSerializerOptions application, JsonSerializerOptions plain, bool refuseUnknown)
    {
        var options = new JsonSerializerOptions(application)
        {
            NumberHandling = application.NumberHandling == plain.NumberHandling ? JsonNumberHandling.Strict : application.NumberHandling,
            AllowDuplicateProperties = false,
            RespectNullableAnnotations = true,
            RespectRequiredConstructorParameters = true,
            MaxDepth = SerializerSettings.Depth(application),
            UnmappedMemberHandling = refuseUnknown ? JsonUnmappedMemberHandling.Disallow : application.UnmappedMemberHandling,
        };
        foreach (var converter in application.Converters.Where(SerializerSettings.IsSaidAnyway))
        {
            options.Converters.Remove(converter);
        }

        return Complete(options, catalogs, application.TypeInfoResolver, Judge);
    }

    /// <summary>The options between host and worker: nothing is judged again.</summary>
    /// <param name="catalog">What the assembly of the operation says.</param>
    internal static JsonSerializerOptions ForWorkers(CatalogJson catalog)
    {
        var options = new JsonSerializerOptions(JsonSerializerDefaults.Web)
        {
            NumberHandling = JsonNumberHandling.Strict,
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
            MaxDepth = PayloadWriter.MaxJsonDepth,
        };
        return Complete(options, [catalog], null, Trust);
    }

    /// <summary>The same options with numbers that JSON cannot hold as text.</summary>
    internal static JsonSerializerOptions WithNamedNumbers(JsonSerializerOptions options) =>
        new(options) { NumberHandling = options.NumberHandling | JsonNumberHandling.AllowNamedFloatingPointLiterals };

    private static void Write<T>(Utf8JsonWriter writer, T value, string format)
        where T : ISpanFormattable
    {
        Span<char> text = stackalloc char[32];
        value.TryFormat(text, out var length, format, CultureInfo.InvariantCulture);
        writer.WriteStringValue(text[..length]);
    }

    private static JsonSerializerOptions Complete(
        JsonSerializerOptions options, IReadOnlyList<CatalogJson> catalogs, IJsonTypeInfoResolver? application, Action<JsonTypeInfo> rule)
    {
        foreach (var converter in catalogs.SelectMany(static catalog => catalog.Converters).Concat(TextConverters).Concat(RawConverters))
        {
            options.Converters.Add(converter);
        }

        options.TypeInfoResolver = JsonTypeInfoResolver.Combine([.. catalogs.Select(static catalog => catalog.Resolver), application]).WithAddedModifier(rule);
        options.MakeReadOnly();
        return options;
    }

    // A parameter that may be null need not be sent, as in generated code. A null that an operation returns is written whatever its annotation says.
    private static void Judge(JsonTypeInfo type)
    {
        foreach (var property in type.Properties)
        {
            if (property.AssociatedParameter is { HasDefaultValue: false, IsNullable: true })
            {
                property.IsRequired = false;
            }

            if (!property.PropertyType.IsValueType)
            {
                property.IsGetNullable = true;
            }
        }
    }

    // The sender has accepted the values already; what it does not write because it is null is not missing.
    private static void Trust(JsonTypeInfo type)
    {
        foreach (var property in type.Properties)
        {
            property.IsRequired = false;
        }
    }
}
