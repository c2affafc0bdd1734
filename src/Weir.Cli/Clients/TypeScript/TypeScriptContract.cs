using System.Text.Json.Nodes;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Writes the part of a contract that a client compares with that of its service.</summary>
internal static class TypeScriptContract
{
    private static readonly string[] OfOperation = ["name", "signature", "routes", "parameters", "result", "resumable"];
    private static readonly string[] OfParameter = ["name", "wire", "in", "type", "optional"];
    private static readonly string[] OfType = ["enum", "flags", "members", "discriminator", "cases"];

    /// <summary>An expression.</summary>
    /// <param name="contract">The contract of a service, as JSON.</param>
    public static string Write(string contract)
    {
        var text = JsonNode.Parse(contract)!.AsObject();
        var operations = text["operations"]!.AsArray().Select(static one =>
        {
            var operation = Only(one!.AsObject(), OfOperation);
            if (operation["parameters"] is JsonArray parameters)
            {
                operation["parameters"] = new JsonArray([.. parameters.Select(static parameter => Only(parameter!.AsObject(), OfParameter))]);
            }

            return operation;
        });
        return new JsonObject
        {
            ["operations"] = new JsonArray([.. operations]),
            ["types"] = new JsonObject(text["types"]!.AsObject().Select(static one => KeyValuePair.Create(one.Key, (JsonNode?)Only(one.Value!.AsObject(), OfType)))),
        }.ToJsonString();
    }

    private static JsonObject Only(JsonObject from, string[] members) =>
        new(members.Where(name => from[name] is not null).Select(name => KeyValuePair.Create(name, from[name]?.DeepClone())));
}
