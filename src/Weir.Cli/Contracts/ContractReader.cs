using System.Text.Json;
using System.Text.RegularExpressions;
using Weir.Cli.Terminal;

namespace Weir.Cli.Contracts;

/// <summary>Reads the contract of a service, as <c>docs/guide/contracts.md</c> describes it. Members that it does not know are skipped.</summary>
internal static partial class ContractReader
{
    private const int MostPath = 4096;

    /// <summary>The contract.</summary>
    /// <param name="json">Its text.</param>
    /// <param name="served">The paths at which an operation is served, by its name and in upper case the verb; the declared ones where that has none.</param>
    /// <param name="prefix">Which prefix the paths are to have; <c>null</c> for the first.</param>
    /// <exception cref="KeyNotFoundException">It lacks what every contract has.</exception>
    /// <exception cref="InvalidOperationException">A member has another type.</exception>
    public static ServiceContract Read(JsonElement json, IReadOnlyDictionary<(string Operation, string Verb), List<string>>? served = null, string? prefix = null)
    {
        var prefixes = served is null ? [""] : Prefixes(json, served);
        var chosen = prefix is null ? prefixes[0] : prefixes.FirstOrDefault(one => PathPrefix.Matches(one, prefix));
        var used = chosen is null ? "" : prefix ?? chosen;
        return new ServiceContract(
            Required(json, "name", "service"),
            Text(json, "summary"),
            [.. json.GetProperty("operations").EnumerateArray().Select(one => Operation(one, used))],
            json.GetProperty("types").EnumerateObject().ToDictionary(static one => one.Name, static one => Type(one.Value)),
            json.GetRawText())
        {
            Prefixes = prefix is null ? prefixes : chosen is null ? [] : [used],
        };
    }

    // What served paths have before the declared ones. Of several declared ones that a path ends with, the longest is meant.
    private static List<string> Prefixes(JsonElement json, IReadOnlyDictionary<(string Operation, string Verb), List<string>> served)
    {
        var prefixes = new List<string>();
        foreach (var operation in json.GetProperty("operations").EnumerateArray())
        {
            var declared = operation.GetProperty("routes").EnumerateArray().Select(static route => (Verbs: Verbs(route), Path: Plain(PathOf(route)))).ToList();
            foreach (var verb in declared.SelectMany(static one => one.Verbs).Distinct())
            {
                foreach (var real in served.GetValueOrDefault((Required(operation, "name"), verb)) ?? [])
                {
                    var path = declared.Where(one => one.Verbs.Contains(verb) && Plain(real).EndsWith(one.Path, StringComparison.OrdinalIgnoreCase)).MaxBy(static one => one.Path.Length).Path;
                    var prefix = path is null ? null : real[..^path.Length].TrimEnd('/');
                    if (prefix is not null && !prefixes.Contains(prefix, StringComparer.OrdinalIgnoreCase))
                    {
                        prefixes.Add(prefix);
                    }
                }
            }
        }

        return prefixes.Count == 0 ? [""] : prefixes;
    }

    private static OperationContract Operation(JsonElement json, string prefix)
    {
        var docs = json.TryGetProperty("docs", out var found) ? found : default;
        var result = json.GetProperty("result");
        var kind = Required(result, "kind");
        var routes = json.GetProperty("routes").EnumerateArray().Select(route => new RouteContract(Verbs(route), prefix + PathOf(route))).ToList();
        return new OperationContract(
            Required(json, "name"),
            routes.Count > 0 ? routes : throw new KeyNotFoundException("an operation has no route"),
            [.. Array(json, "parameters").Select(one => Parameter(one, docs))],
            kind,
            kind is "value" or "stream" or "bytes" ? Required(result, "type") : Text(result, "type"))
        {
            MediaType = Text(result, "mediaType"),
            Resumable = Text(json, "resumable"),
            Job = Text(json, "job"),
            Summary = Text(docs, "summary"),
            Returns = Text(docs, "returns"),
        };
    }

    private static List<string> Verbs(JsonElement route)
    {
        var verbs = route.GetProperty("verbs").EnumerateArray().Select(static one => one.GetString() ?? "").ToList();
        return verbs.Count > 0 && verbs.TrueForAll(HeaderText.IsName) ? verbs : throw new KeyNotFoundException("a route has no verb that can be sent");
    }

    private static string PathOf(JsonElement route)
    {
        var path = Required(route, "path");
        return path.StartsWith('/') && path.Length <= MostPath
            ? RouteParameter().Replace(path, static match =>
                $"{{{(match.Groups[1].Length > 0 ? "*" : "")}{match.Groups[2].Value}{(match.Value.Contains("?}", StringComparison.Ordinal) || match.Value.Contains('=', StringComparison.Ordinal) ? "?" : "")}}}")
            : throw new KeyNotFoundException($"a route has no path that begins with a slash and has at most {MostPath} characters");
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
