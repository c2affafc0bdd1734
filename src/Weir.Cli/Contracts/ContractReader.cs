using System.Text.Json;
using System.Text.RegularExpressions;

namespace Weir.Cli.Contracts;

/// <summary>Reads the contract of a service, as <c>docs/guide/contracts.md</c> describes it. Members that it does not know are skipped.</summary>
internal static partial class ContractReader
{
    /// <summary>The contract.</summary>
    /// <param name="json">Its text.</param>
    /// <param name="served">The paths at which an operation is served, by its name and in upper case the verb; the declared ones where that has none.</param>
    /// <exception cref="KeyNotFoundException">It lacks what every contract has.</exception>
    /// <exception cref="InvalidOperationException">A member has another type.</exception>
    public static ServiceContract Read(JsonElement json, IReadOnlyDictionary<(string Operation, string Verb), string>? served = null) => new(
        Required(json, "name", "service"),
        Text(json, "summary"),
        [.. json.GetProperty("operations").EnumerateArray().Select(one => Operation(one, served))],
        json.GetProperty("types").EnumerateObject().ToDictionary(static one => one.Name, static one => Type(one.Value)));

    private static OperationContract Operation(JsonElement json, IReadOnlyDictionary<(string Operation, string Verb), string>? served)
    {
        var docs = json.TryGetProperty("docs", out var found) ? found : default;
        var name = Required(json, "name");
        return new OperationContract(
            name,
            [.. json.GetProperty("routes").EnumerateArray().Select(route => Route(name, route, served))],
            [.. Array(json, "parameters").Select(one => Parameter(one, docs))],
            Required(json.GetProperty("result"), "kind"),
            Text(json.GetProperty("result"), "type"))
        {
            Resumable = Text(json, "resumable"),
            Summary = Text(docs, "summary"),
            Returns = Text(docs, "returns"),
        };
    }

    private static RouteContract Route(string operation, JsonElement json, IReadOnlyDictionary<(string Operation, string Verb), string>? served)
    {
        var verbs = json.GetProperty("verbs").EnumerateArray().Select(static one => one.GetString()!).ToList();
        var path = RouteParameter().Replace(Required(json, "path"), static match =>
            $"{{{(match.Groups[1].Length > 0 ? "*" : "")}{match.Groups[2].Value}{(match.Value.Contains("?}", StringComparison.Ordinal) || match.Value.Contains('=', StringComparison.Ordinal) ? "?" : "")}}}");

        // The served path has the prefix of MapWeir, and lacks what the template says about its parameters.
        return new RouteContract(verbs, served?.GetValueOrDefault((operation, verbs[0])) is { } real && Plain(real).EndsWith(Plain(path), StringComparison.OrdinalIgnoreCase)
            ? real[..^Plain(path).Length] + path
            : path);
    }

    private static string Plain(string path) => path.Replace("{*", "{", StringComparison.Ordinal).Replace("?}", "}", StringComparison.Ordinal);

    private static ParameterContract Parameter(JsonElement json, JsonElement docs)
    {
        var name = Required(json, "name");
        return new ParameterContract(
            name, Text(json, "wire") ?? name, Required(json, "in"), Required(json, "type"), Flag(json, "optional"), Text(json, "default") is not null,
            docs.ValueKind == JsonValueKind.Object && docs.TryGetProperty("parameters", out var parameters) ? Text(parameters, name) : null);
    }

    private static TypeContract Type(JsonElement json) => new(
        json.TryGetProperty("enum", out var names) ? [.. names.EnumerateArray().Select(static one => one.GetString()!)] : null,
        Flag(json, "flags"),
        [.. Array(json, "members").Select(static one => new MemberContract(
            Required(one, "name"), Required(one, "type"), Flag(one, "optional"), Flag(one, "readOnly"), Flag(one, "writeOnly"), Flag(one, "omitted")))],
        Text(json, "discriminator"),
        [.. Array(json, "cases").Select(static one => new CaseContract(one.TryGetProperty("value", out var value) ? value.GetRawText() : null, Required(one, "type")))]);

    private static List<JsonElement> Array(JsonElement json, string name) => json.TryGetProperty(name, out var found) ? [.. found.EnumerateArray()] : [];

    private static bool Flag(JsonElement json, string name) => json.TryGetProperty(name, out var found) && found.GetBoolean();

    private static string? Text(JsonElement json, string name) => json.ValueKind == JsonValueKind.Object && json.TryGetProperty(name, out var found) ? found.GetString() : null;

    private static string Required(JsonElement json, params string[] names) =>
        names.Select(name => Text(json, name)).FirstOrDefault(static one => one is not null) ?? throw new KeyNotFoundException($"'{names[^1]}' is missing");

    [GeneratedRegex(@"\{(\**)([^:=?}]+)(?:[^{}]|\{\{|\}\})*\}")]
    private static partial Regex RouteParameter();
}
