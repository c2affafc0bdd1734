using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.OpenApi;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Responses;

namespace Weir.OpenApi;

/// <summary>
/// Makes schemas show what Weir reads and writes where ASP.NET Core's options would have it otherwise: enums as names, unless a converter of the application
/// writes them, and numbers without the text that <c>JsonNumberHandling.AllowReadingFromString</c>, their default, accepts. Immutable after its first use.
/// </summary>
internal sealed class SchemaTransformer(IServiceProvider services) : IOpenApiSchemaTransformer
{
    // Read when a document is made: by then everything is mapped.
    private readonly Lazy<Dictionary<Type, EnumDescription>> _enums = new(() => (services.GetService<MappedOperations>()?.Sources ?? [])
        .SelectMany(static source => source.Services).Distinct().SelectMany(static service => service.Description?.Enums ?? [])
        .Where(one => services.GetService<EndpointServices>()?.Serializer.IsConverted(one.Type) != true)
        .DistinctBy(static one => one.Type).ToDictionary(static one => one.Type));

    public Task TransformAsync(OpenApiSchema schema, OpenApiSchemaTransformerContext context, CancellationToken cancellationToken)
    {
        var type = context.JsonTypeInfo.Type;
        if (_enums.Value.TryGetValue(Nullable.GetUnderlyingType(type) ?? type, out var described))
        {
            Describe(schema, described, isNullable: Nullable.GetUnderlyingType(type) is not null);
        }
        else if (IsNumberOrText(schema) && context.JsonTypeInfo.Options.NumberHandling == JsonNumberHandling.AllowReadingFromString)
        {
            schema.Type &= ~JsonSchemaType.String;
            schema.Pattern = null;
        }

        return Task.CompletedTask;
    }

    /// <summary>The value of a default in a document; <c>null</c> where JSON has none for its type.</summary>
    internal JsonNode? Default(object? value) => value switch
    {
        null => null,
        Enum one => _enums.Value.TryGetValue(one.GetType(), out var described) && described.Names.Contains(one.ToString()) ? JsonValue.Create(one.ToString()) : null,
        string text => JsonValue.Create(text),
        bool flag => JsonValue.Create(flag),
        char letter => JsonValue.Create(letter.ToString()),
        double number when !double.IsFinite(number) => null,
        float number when !float.IsFinite(number) => null,
        sbyte or byte or short or ushort or int or uint or long or ulong or float or double or decimal => JsonNode.Parse(((IFormattable)value).ToString(null, System.Globalization.CultureInfo.InvariantCulture)),
        _ => null,
    };

    private static bool IsNumberOrText(OpenApiSchema schema) =>
        schema is { Pattern: not null, Type: { } type } && type.HasFlag(JsonSchemaType.String) && (type.HasFlag(JsonSchemaType.Integer) || type.HasFlag(JsonSchemaType.Number));

    private static void Describe(OpenApiSchema schema, EnumDescription described, bool isNullable)
    {
        schema.Type = isNullable ? JsonSchemaType.String | JsonSchemaType.Null : JsonSchemaType.String;
        schema.Format = null;
        schema.Pattern = null;
        if (described.IsFlags)
        {
            schema.Enum = null;
            schema.Description ??= $"One of {string.Join(", ", described.Names)}, or several joined by commas.";
            return;
        }

        schema.Enum = [.. described.Names.Select(static name => (JsonNode)JsonValue.Create(name)!)];
        if (isNullable)
        {
            schema.Enum.Add(null!);
        }
    }
}
