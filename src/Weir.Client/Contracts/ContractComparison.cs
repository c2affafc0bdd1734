using System.Text.Json;

namespace Weir.Client.Contracts;

/// <summary>
/// Compares what a client was built for with what a server has, by structure: names of types may differ. What the server only has more of is no
/// difference: optional parameters, members of results, names of enums. The texts are contracts as the generator writes them.
/// </summary>
internal sealed class ContractComparison
{
    private readonly JsonElement _clientTypes;
    private readonly JsonElement _serverTypes;
    private readonly List<string> _changes = [];

    // Pairs of types that are being compared, or were: a type may contain itself.
    private readonly HashSet<(string Client, string Server, bool IsSent)> _compared = [];

    private ContractComparison(JsonElement client, JsonElement server)
    {
        _clientTypes = client.TryGetProperty("types", out var types) ? types : default;
        _serverTypes = server.TryGetProperty("types", out types) ? types : default;
    }

    /// <summary>What differs, and breaks calls; empty for nothing.</summary>
    /// <param name="operation">The operation's name, without its service.</param>
    /// <param name="client">The client's contract.</param>
    /// <param name="server">The server's contract.</param>
    internal static IReadOnlyList<string> Changes(string operation, JsonElement client, JsonElement server)
    {
        if (Find(client, operation) is not { } expected)
        {
            return [];
        }

        if (Find(server, operation) is not { } found)
        {
            return ["the server does not have it"];
        }

        var comparison = new ContractComparison(client, server);
        comparison.Operation(expected, found);
        return comparison._changes;
    }

    private void Operation(JsonElement client, JsonElement server)
    {
        // The client uses the first route and its first verb.
        var route = Member(client, "routes")[0];
        var (verb, path) = (Member(route, "verbs")[0].GetString()!, Member(route, "path").GetString()!);
        if (!Member(server, "routes").EnumerateArray().Any(one =>
            Member(one, "path").GetString() == path && Member(one, "verbs").EnumerateArray().Any(accepted => accepted.GetString() == verb)))
        {
            _changes.Add($"it is not at {verb} {path} any more");
        }

        Parameters(client, server);
        Result(Member(client, "result"), Member(server, "result"));
        if (Text(client, "resumable") is { } resumable && Text(server, "resumable") != resumable)
        {
            _changes.Add("it is not resumable any more");
        }
    }

    private void Parameters(JsonElement client, JsonElement server)
    {
        var found = Items(server, "parameters").ToList();
        foreach (var expected in Items(client, "parameters"))
        {
            var name = Text(expected, "name")!;
            var index = found.FindIndex(one => string.Equals(Text(one, "name"), name, StringComparison.OrdinalIgnoreCase));
            if (index < 0)
            {
                _changes.Add($"the parameter '{name}' is gone");
                continue;
            }

            var parameter = found[index];
            found.RemoveAt(index);
            if (Text(parameter, "in") != Text(expected, "in") || Text(parameter, "wire") != Text(expected, "wire"))
            {
                _changes.Add($"the parameter '{name}' is sent in another place");
            }

            if (Flag(expected, "optional") && !Flag(parameter, "optional"))
            {
                _changes.Add($"the parameter '{name}' is not optional any more");
            }

            Type($"the parameter '{name}'", Text(expected, "type")!, Text(parameter, "type")!, isSent: true);
        }

        foreach (var added in found.Where(static one => !Flag(one, "optional")))
        {
            _changes.Add($"the parameter '{Text(added, "name")}' is required");
        }
    }

    private void Result(JsonElement client, JsonElement server)
    {
        if (Text(client, "kind") != Text(server, "kind"))
        {
            _changes.Add($"its result is {Text(server, "kind")} in place of {Text(client, "kind")}");
        }
        else if (Text(client, "type") is { } expected && Text(server, "type") is { } found)
        {
            Type("its result", expected, found, isSent: false);
        }
    }

    private void Type(string where, string client, string server, bool isSent)
    {
        var (expected, found) = (WireType.Parse(client), WireType.Parse(server));
        var sender = isSent ? expected : found;
        var reader = isSent ? found : expected;
        if (sender.IsNullable && !reader.IsNullable)
        {
            _changes.Add(isSent ? $"{where} may not be null any more" : $"{where} may be null now");
        }

        if (expected.Suffix != found.Suffix)
        {
            _changes.Add($"{where} is {server} in place of {client}");
        }
        else if (expected.Suffix is not null)
        {
            Type(where, expected.Inner, found.Inner, isSent);
        }
        else
        {
            Named(where, expected.Inner, found.Inner, isSent);
        }
    }

    private void Named(string where, string client, string server, bool isSent)
    {
        var (expected, found) = (Definition(_clientTypes, client), Definition(_serverTypes, server));
        if (expected is null || found is null)
        {
            // A scalar has its name only.
            if (client != server)
            {
                _changes.Add($"{where} is {server} in place of {client}");
            }
        }
        else if (_compared.Add((client, server, isSent)))
        {
            Definitions(where, client, expected.Value, found.Value, isSent);
        }
    }

    private void Definitions(string where, string name, JsonElement client, JsonElement server, bool isSent)
    {
        var kind = KindOf(client);
        if (kind != KindOf(server))
        {
            _changes.Add($"{where} is of another kind of type");
        }
        else if (kind == "enum")
        {
            var known = Member(server, "enum").EnumerateArray().Select(static one => one.GetString()).ToList();
            foreach (var gone in Member(client, "enum").EnumerateArray().Select(static one => one.GetString()).Where(one => isSent && !known.Contains(one)))
            {
                _changes.Add($"{name} does not have '{gone}' any more");
            }
        }
        else
        {
            Cases(name, client, server, isSent);
            Members(name, client, server, isSent);
        }
    }

    private void Cases(string name, JsonElement client, JsonElement server, bool isSent)
    {
        if (Text(client, "discriminator") != Text(server, "discriminator"))
        {
            _changes.Add($"{name} is distinguished by another member");
            return;
        }

        foreach (var expected in Items(client, "cases"))
        {
            var value = Raw(expected, "value");
            var found = Items(server, "cases").Where(one => Raw(one, "value") == value).Take(1).ToList();
            if (found.Count > 0)
            {
                Type($"{name} {value}", Text(expected, "type")!, Text(found[0], "type")!, isSent);
            }
            else if (isSent)
            {
                _changes.Add($"{name} does not have the case {value} any more");
            }
        }
    }

    private void Members(string name, JsonElement client, JsonElement server, bool isSent)
    {
        var ignored = isSent ? "readOnly" : "writeOnly";
        var found = Items(server, "members").Where(one => !Flag(one, ignored)).ToList();
        foreach (var expected in Items(client, "members").Where(one => !Flag(one, ignored)))
        {
            var member = Text(expected, "name")!;
            var index = found.FindIndex(one => string.Equals(Text(one, "name"), member, StringComparison.OrdinalIgnoreCase));
            if (index < 0)
            {
                _changes.Add($"{name}.{member} is gone");
                continue;
            }

            Type($"{name}.{member}", Text(expected, "type")!, Text(found[index], "type")!, isSent);
            if (isSent && Flag(expected, "optional") && !Flag(found[index], "optional") && Flag(expected, "omitted"))
            {
                _changes.Add($"{name}.{member} is not optional any more");
            }

            found.RemoveAt(index);
        }

        foreach (var added in found.Where(one => isSent && !Flag(one, "optional")))
        {
            _changes.Add($"{name}.{Text(added, "name")} is required");
        }
    }

    private static JsonElement Member(JsonElement parent, string name) =>
        parent.TryGetProperty(name, out var value) ? value : throw new KeyNotFoundException($"it has no '{name}'");

    private static string KindOf(JsonElement type) => type.TryGetProperty("enum", out _) ? "enum" : "object";

    private static JsonElement? Definition(JsonElement types, string name) =>
        types.ValueKind == JsonValueKind.Object && types.TryGetProperty(name, out var type) ? type : null;

    private static JsonElement? Find(JsonElement contract, string operation)
    {
        foreach (var one in Items(contract, "operations"))
        {
            if (string.Equals(Text(one, "name"), operation, StringComparison.OrdinalIgnoreCase))
            {
                return one;
            }
        }

        return null;
    }

    private static IEnumerable<JsonElement> Items(JsonElement parent, string name) =>
        parent.TryGetProperty(name, out var list) && list.ValueKind == JsonValueKind.Array ? list.EnumerateArray() : Enumerable.Empty<JsonElement>();

    private static string? Text(JsonElement parent, string name) => parent.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static string Raw(JsonElement parent, string name) => parent.TryGetProperty(name, out var value) ? value.GetRawText() : "";

    private static bool Flag(JsonElement parent, string name) => parent.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.True;
}
