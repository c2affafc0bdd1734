using System.Globalization;
using System.Text.Json.Nodes;

namespace Weir.OpenApi.Tests;

/// <summary>Makes random values that a schema of a document allows.</summary>
internal sealed class SchemaValues(JsonNode document, int seed)
{
    /// <summary>Stands for the bytes of a file.</summary>
    internal const string FileContent = "(file)";

    private readonly Random _random = new(seed);

    internal int Next(int bound) => _random.Next(bound);

    internal bool Skips() => _random.Next(3) == 0;

    /// <summary>A value as text, as a path, a query or a form has it.</summary>
    internal static string Text(JsonNode? value) => value is JsonValue scalar && scalar.TryGetValue<string>(out var text) ? text : value?.ToJsonString() ?? "";

    internal JsonNode? Make(JsonNode schema, int depth = 0)
    {
        if (schema["$ref"] is { } reference)
        {
            return Make(document["components"]!["schemas"]![reference.GetValue<string>().Split('/')[^1]]!, depth);
        }

        if ((schema["oneOf"] ?? schema["anyOf"]) is JsonArray choices)
        {
            return Make(choices[Next(choices.Count)]!, depth);
        }

        if (schema["enum"] is JsonArray names)
        {
            return names[Next(names.Count)]?.DeepClone();
        }

        var types = schema["type"] is JsonArray several ? several.Select(static one => one!.GetValue<string>()).ToArray() : [schema["type"]?.GetValue<string>() ?? throw new InvalidOperationException($"no type: {schema.ToJsonString()}")];
        return types[Next(types.Length)] switch
        {
            "null" => null,
            "boolean" => JsonValue.Create(Next(2) == 0),
            "integer" => JsonValue.Create(Integer(schema)),
            "number" => JsonValue.Create(Math.Round((_random.NextDouble() - 0.3) * 1000, 3)),
            "array" => new JsonArray([.. Enumerable.Range(0, Next(depth > 2 ? 1 : 4)).Select(_ => Make(schema["items"]!, depth + 1))]),
            "object" => Members(schema, depth),
            _ => JsonValue.Create(Word(schema)),
        };
    }

    private JsonObject Members(JsonNode schema, int depth)
    {
        var required = schema["required"]?.AsArray().Select(static one => one!.GetValue<string>()).ToHashSet() ?? [];
        var members = new JsonObject();
        foreach (var (name, member) in schema["properties"]?.AsObject() ?? [])
        {
            if (required.Contains(name) || !Skips())
            {
                members[name] = Make(member!, depth + 1);
            }
        }

        return members;
    }

    private long Integer(JsonNode schema) => schema["format"]?.GetValue<string>() switch
    {
        "uint8" => Next(256),
        _ => Next(2000) - 200,
    };

    private string Word(JsonNode schema) => schema["format"]?.GetValue<string>() switch
    {
        "uuid" => new Guid(Next(1000), 1, 2, new byte[8]).ToString(),
        "date" => new DateOnly(2020, 1, 1).AddDays(Next(4000)).ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
        "byte" => "AAEC",
        "binary" => FileContent,
        "uri" => $"https://example.org/{Next(100)}",
        null when schema["pattern"] is not null => "00:00:01",
        null when schema["description"]?.GetValue<string>().Contains("joined by commas", StringComparison.Ordinal) == true => Next(2) == 0 ? "Cheese" : "Cheese, Ham",
        null => string.Concat(Enumerable.Range(0, Next(12)).Select(_ => (char)('a' + Next(26)))),
        var format => throw new InvalidOperationException($"no value of format {format}: {schema.ToJsonString()}"),
    };
}
