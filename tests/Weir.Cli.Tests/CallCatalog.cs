using System.Text.Json.Nodes;

namespace Weir.Cli.Tests;

/// <summary>The catalog of one service with an operation for every place that an argument can have.</summary>
internal static class CallCatalog
{
    private const string Contract = """
        { "service": "Svc", "operations": [
            { "name": "Value", "routes": [ { "verbs": ["GET"], "path": "/Svc/Value" } ], "parameters": [ { "name": "x", "in": "query", "type": "string", "optional": true },
              { "name": "xs", "in": "query", "type": "string[]", "optional": true } ], "result": { "kind": "value", "type": "string" } },
            { "name": "Items", "routes": [ { "verbs": ["GET"], "path": "/Svc/Items" } ], "result": { "kind": "stream", "type": "int32" } },
            { "name": "Bytes", "routes": [ { "verbs": ["GET"], "path": "/Svc/Bytes" } ], "result": { "kind": "bytes", "type": "bytes" } },
            { "name": "File", "routes": [ { "verbs": ["GET"], "path": "/files/{name}" } ], "parameters": [ { "name": "name", "in": "value", "type": "string" } ], "result": { "kind": "value", "type": "string" } },
            { "name": "Rest", "routes": [ { "verbs": ["GET"], "path": "/rest/{*name}" } ], "parameters": [ { "name": "name", "in": "value", "type": "string" } ], "result": { "kind": "value", "type": "string" } },
            { "name": "Header", "routes": [ { "verbs": ["GET"], "path": "/Svc/Header" } ], "parameters": [ { "name": "a", "wire": "X-A", "in": "header", "type": "string" },
              { "name": "list", "wire": "X-List", "in": "header", "type": "string[]", "optional": true } ], "result": { "kind": "value", "type": "string" } },
            { "name": "Member", "routes": [ { "verbs": ["POST"], "path": "/Svc/Member" } ], "parameters": [ { "name": "x", "in": "value", "type": "string" }, { "name": "xs", "in": "value", "type": "string[]", "optional": true } ],
              "result": { "kind": "value", "type": "string" } },
            { "name": "Form", "routes": [ { "verbs": ["POST"], "path": "/Svc/Form" } ], "parameters": [ { "name": "x", "in": "form", "type": "string" } ], "result": { "kind": "value", "type": "string" } },
            { "name": "Upload", "routes": [ { "verbs": ["POST"], "path": "/Svc/Upload" } ], "parameters": [ { "name": "x", "in": "value", "type": "string", "optional": true }, { "name": "file", "in": "file", "type": "file" } ],
              "result": { "kind": "value", "type": "string" } },
            { "name": "Raw", "routes": [ { "verbs": ["POST"], "path": "/Svc/Raw" } ], "parameters": [ { "name": "body", "in": "raw", "type": "bytes" } ], "result": { "kind": "value", "type": "string" } },
            { "name": "Sum", "routes": [ { "verbs": ["POST"], "path": "/Svc/Sum" } ], "parameters": [ { "name": "numbers", "in": "items", "type": "int32" } ], "result": { "kind": "value", "type": "string" } },
            { "name": "Pages", "routes": [ { "verbs": ["GET", "POST"], "path": "/Svc/Pages" } ], "result": { "kind": "stream", "type": "int32" } }
          ], "types": {} }
        """;

    /// <summary>The catalog, with the prefixes below which it is served.</summary>
    public static string Text(params string[] prefixes)
    {
        var contract = JsonNode.Parse(Contract)!.AsObject();
        var operations = new JsonArray();
        foreach (var operation in contract["operations"]!.AsArray())
        {
            var routes = new JsonArray();
            foreach (var prefix in prefixes.DefaultIfEmpty(""))
            {
                foreach (var route in operation!["routes"]!.AsArray())
                {
                    routes.Add((JsonNode)new JsonObject { ["verb"] = route!["verbs"]![0]!.GetValue<string>(), ["path"] = prefix + route["path"]!.GetValue<string>().Replace("{*", "{", StringComparison.Ordinal) });
                }
            }

            operations.Add((JsonNode)new JsonObject { ["name"] = operation!["name"]!.GetValue<string>(), ["routes"] = routes });
        }

        return new JsonObject { ["catalog"] = 1, ["services"] = new JsonArray(new JsonObject { ["name"] = "Svc", ["operations"] = operations, ["contract"] = contract }) }.ToJsonString();
    }
}
