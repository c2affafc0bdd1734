using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Weir.AspNetCore.Endpoints;

namespace Weir.AspNetCore.Description;

/// <summary>Writes the catalog as JSON. <c>docs/guide/openapi.md</c> describes its format; a change that breaks a reader needs a new version.</summary>
internal static class CatalogWriter
{
    private const int Version = 1;

    internal static byte[] Write(IReadOnlyList<HttpOperation> operations, IReadOnlyList<string> jsonSettings)
    {
        var output = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(output))
        {
            json.WriteStartObject();
            json.WriteNumber("catalog"u8, Version);
            if (jsonSettings.Count > 0)
            {
                // The contracts below describe JSON by Weir's own rules.
                Texts(json, "jsonSettings", jsonSettings);
            }

            json.WriteStartArray("services"u8);
            foreach (var service in operations.GroupBy(static one => one.Operation.Service))
            {
                Write(json, service.Key, service);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return output.WrittenSpan.ToArray();
    }

    private static void Write(Utf8JsonWriter json, Service service, IEnumerable<HttpOperation> operations)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, service.Name);
        Optional(json, "summary", service.Description?.Summary);
        json.WriteStartArray("operations"u8);
        foreach (var operation in operations.GroupBy(static one => one.Operation))
        {
            Write(json, operation.Key, [.. operation]);
        }

        json.WriteEndArray();
        json.WriteStartArray("enums"u8);
        foreach (var one in service.Description?.Enums ?? [])
        {
            json.WriteStartObject();
            json.WriteString("name"u8, one.Type.Name);
            json.WriteBoolean("flags"u8, one.IsFlags);
            Texts(json, "names", one.Names);
            json.WriteEndObject();
        }

        json.WriteEndArray();

        // An operation that is hidden from descriptions is hidden here as well, and so are the types that only it uses.
        if (ContractPart.Of(service, operations.Select(static one => one.Operation.Name).ToHashSet(StringComparer.OrdinalIgnoreCase)) is { } contract)
        {
            json.WritePropertyName("contract"u8);
            contract.WriteTo(json);
        }

        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, Operation operation, IReadOnlyList<HttpOperation> routes)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, operation.Name);
        Optional(json, "summary", operation.Description?.Summary);
        Optional(json, "remarks", operation.Description?.Remarks);

        // Text: JavaScript has no exact number of 64 bits.
        json.WriteString("signature"u8, operation.Signature.ToString("x16", CultureInfo.InvariantCulture));
        json.WriteString("placement"u8, Camel(operation.Placement.ToString()));
        Optional(json, "pool", operation.Pool);
        json.WriteBoolean("idempotent"u8, operation.IsIdempotent);
        if (operation.Resumption != Resumption.None)
        {
            json.WriteString("resumable"u8, Camel(operation.Resumption.ToString()));
        }

        json.WriteStartObject("result"u8);
        json.WriteString("kind"u8, Camel(operation.ResultKind.ToString()));
        Optional(json, "type", operation.Description?.ResultName);
        json.WriteBoolean("nullable"u8, operation.IsResultNullable);
        Texts(json, "mediaTypes", routes[0].Responses[0].MediaTypes);
        json.WriteEndObject();
        json.WriteStartArray("routes"u8);
        foreach (var route in routes)
        {
            json.WriteStartObject();
            json.WriteString("verb"u8, route.Verb);
            json.WriteString("path"u8, route.Path);
            json.WriteStartArray("parameters"u8);
            foreach (var parameter in route.Parameters.Concat(route.Body?.Parameters ?? []))
            {
                Write(json, parameter, route.Body);
            }

            json.WriteEndArray();
            Texts(json, "bodyMediaTypes", route.Body?.MediaTypes ?? []);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, HttpParameter parameter, HttpBody? body)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, parameter.Name);
        json.WriteString("in"u8, parameter.Source switch
        {
            HttpParameterSource.Body when body is { Kind: HttpBodyKind.Members } => "member",
            var source => Camel(source.ToString()),
        });
        json.WriteString("type"u8, parameter.TypeName);
        json.WriteBoolean("required"u8, parameter.IsRequired);
        Optional(json, "default", parameter.Default is IFormattable value ? value.ToString(null, CultureInfo.InvariantCulture) : parameter.Default?.ToString());
        Optional(json, "summary", parameter.Summary);
        json.WriteEndObject();
    }

    private static void Optional(Utf8JsonWriter json, string name, string? text)
    {
        if (text is not null)
        {
            json.WriteString(name, text);
        }
    }

    private static void Texts(Utf8JsonWriter json, string name, IEnumerable<string> texts)
    {
        json.WriteStartArray(name);
        foreach (var text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }

    private static string Camel(string name) => JsonNamingPolicy.CamelCase.ConvertName(name);
}
