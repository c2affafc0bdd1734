using System.Text.Json.Nodes;

namespace Weir.AspNetCore.Endpoints;

/// <summary>Takes some operations out of the contract of a service, with the types that they use. The others may be hidden from the reader.</summary>
internal static class ContractPart
{
    private static readonly char[] Suffixes = ['?', '[', ']', '{', '}'];

    /// <summary>The contract of some operations of a service; <c>null</c> for a service without one.</summary>
    /// <param name="service">The service.</param>
    /// <param name="operations">The names of its operations.</param>
    internal static JsonObject? Of(Service service, IReadOnlySet<string> operations)
    {
        if (service.Description?.Contract is not { } text)
        {
            return null;
        }

        var contract = JsonNode.Parse(text)!.AsObject();
        var kept = contract["operations"]!.AsArray().Where(one => operations.Contains((string)one!["name"]!)).ToList();
        var types = contract["types"]!.AsObject();
        var used = new SortedDictionary<string, JsonNode>(StringComparer.Ordinal);
        var waiting = new Stack<JsonNode?>(kept);
        while (waiting.TryPop(out var node))
        {
            if (TypeOf(node) is { } name && !used.ContainsKey(name) && types[name] is { } type)
            {
                used.Add(name, type);
                waiting.Push(type);
            }

            IEnumerable<JsonNode?> below = node switch
            {
                JsonObject parent => parent.Select(static one => one.Value),
                JsonArray array => array,
                _ => [],
            };
            foreach (var one in below.Where(static one => one is JsonObject or JsonArray))
            {
                waiting.Push(one);
            }
        }

        contract["operations"] = new JsonArray([.. kept.Select(static one => one!.DeepClone())]);
        contract["types"] = new JsonObject(used.Select(static one => KeyValuePair.Create(one.Key, (JsonNode?)one.Value.DeepClone())));
        return contract;
    }

    // A parameter, a result, a member or a case has a type; documentation has a parameter of that name at most.
    private static string? TypeOf(JsonNode? node) =>
        node is JsonObject one && one["type"] is JsonValue value && value.TryGetValue<string>(out var type) ? type.TrimEnd(Suffixes) : null;
}
