using System.Text;

namespace Weir.Client.Contracts;

/// <summary>
/// Compares two contracts of a service. Types are compared by what they are, not by their names; what is sent and what is received have different rules: a
/// request may lack more than before, a result may not. Additions are no change: an operation, an optional parameter, a member of a result. A new name of an
/// enum, or case, is one in a result: a C# client reads only those that it knows, unless the type is open.
/// </summary>
internal static class ContractComparison
{
    /// <summary>What breaks any caller that was built with the first contract, in the order of its operations; empty for nothing.</summary>
    /// <param name="before">The contract of a service, as <see cref="ContractJson"/> reads it.</param>
    /// <param name="after">A later one.</param>
    /// <exception cref="FormatException">One is no contract.</exception>
    public static IReadOnlyList<ContractChange> Find(object? before, object? after)
    {
        var changes = new List<ContractChange>();
        foreach (var operation in Items(before, "operations"))
        {
            var name = Text(operation, "name") ?? throw new FormatException("an operation has no name");
            if (Operation(after, name) is { } later)
            {
                new OperationComparison(Member(before, "types"), Member(after, "types"), isClient: false, text => changes.Add(new ContractChange(name, text))).Compare(operation, later);
            }
            else
            {
                changes.Add(new ContractChange(name, "it is not there any more"));
            }
        }

        return changes;
    }

    /// <summary>
    /// What breaks the calls of one operation by the generated client, which uses the first of its routes, writes every member, and does not mind
    /// values that it never receives; empty for nothing.
    /// </summary>
    /// <param name="name">The operation's name, without its service.</param>
    /// <param name="client">The contract of the client, as <see cref="ContractJson"/> reads it.</param>
    /// <param name="server">The server's, which has that operation only.</param>
    /// <exception cref="FormatException">One is no contract.</exception>
    public static IReadOnlyList<string> FindForClient(string name, object? client, object? server)
    {
        var changes = new List<string>();
        if (Operation(server, name) is { } found)
        {
            new OperationComparison(Member(client, "types"), Member(server, "types"), isClient: true, changes.Add)
                .Compare(Operation(client, name) ?? throw new FormatException($"the client's contract has no '{name}'"), found);
        }
        else
        {
            changes.Add("it is not there any more");
        }

        return changes;
    }

    /// <summary>The kind of the jobs that requests of an operation become, <c>null</c> where they become none; and whether they always do.</summary>
    /// <param name="name">The operation's name, without its service.</param>
    /// <param name="contract">The contract of its service, as <see cref="ContractJson"/> reads it.</param>
    public static (string? Kind, bool IsAlways) Job(string name, object? contract) => Operation(contract, name) is not { } operation ? default
        : Text(operation, "respond") switch
        {
            "never" => default,
            var respond => (Text(operation, "job"), respond == "always"),
        };

    public static object? Member(object? value, string name) =>
        value is Dictionary<string, object?> members ? members.TryGetValue(name, out var member) ? member : null : throw new FormatException($"an object with '{name}' is missing");

    public static string? Text(object? value, string name) => Member(value, name) as string;

    public static bool Flag(object? value, string name) => Member(value, name) is true;

    public static IEnumerable<object?> Items(object? value, string name) => Member(value, name) as List<object?> ?? [];

    private static object? Operation(object? contract, string name) =>
        Items(contract, "operations").FirstOrDefault(one => string.Equals(Text(one, "name"), name, StringComparison.OrdinalIgnoreCase));

    private sealed class OperationComparison(object? typesBefore, object? typesAfter, bool isClient, Action<string> report)
    {
        // A pair of types is compared once in each direction: types may refer to themselves.
        private readonly HashSet<(string Before, string After, bool IsSent)> _compared = [];

        public void Compare(object? before, object? after)
        {
            Routes(before, after);
            Parameters(before, after);
            var (resultBefore, resultAfter) = (Member(before, "result"), Member(after, "result"));
            var (kindBefore, kindAfter) = (Text(resultBefore, "kind"), Text(resultAfter, "kind"));
            if (kindBefore != kindAfter)
            {
                report($"its result is '{kindAfter}', and was '{kindBefore}'");
            }
            else if (Text(resultBefore, "type") is { } typeBefore && Text(resultAfter, "type") is { } typeAfter)
            {
                Types("the result", typeBefore, typeAfter, isSent: false);
            }

            if (kindBefore == kindAfter && Text(resultBefore, "mediaType") is var mediaBefore && Text(resultAfter, "mediaType") is var mediaAfter && mediaBefore != mediaAfter)
            {
                report($"its result is {mediaAfter ?? "bytes of no declared media type"}, and was {mediaBefore ?? "bytes of no declared media type"}");
            }

            if (Text(before, "resumable") is { } resumable && Text(after, "resumable") != resumable)
            {
                report("it does not continue after a cut as before ([Resumable])");
            }

            if (!isClient)
            {
                Throws(before, after);
                Job(before, after);
            }
        }

        // A job is stored under the name of its kind. The store compares with case.
        private void Job(object? before, object? after)
        {
            if (Text(before, "job") is not { } kind)
            {
                if (Text(after, "respond") == "always")
                {
                    report("its requests become jobs always, and did not ([Job(Respond = …)])");
                }

                return;
            }

            if (Text(after, "job") is not { } later)
            {
                report($"its calls cannot be jobs any more ([Job]), and were jobs of the kind '{kind}'");
            }
            else if (kind != later)
            {
                report($"its jobs are of the kind '{later}', and were of '{kind}' ([Job])");
            }
            else if (Respond(before) is var was && Respond(after) is var now && was != now)
            {
                report($"its requests become jobs {now}, and became jobs {was} ([Job(Respond = …)])");
            }
        }

        private static string Respond(object? operation) => Text(operation, "respond") ?? "when they prefer it";

        // What is not declared reaches the caller as another exception and another status. As the client reads it: a type may move to another namespace.
        private void Throws(object? before, object? after)
        {
            var later = Items(after, "throws").ToList();
            foreach (var one in Items(before, "throws"))
            {
                var name = Short(Text(one, "name") ?? "");
                if (later.FirstOrDefault(other => Short(Text(other, "name") ?? "") == name) is not { } same)
                {
                    report($"it does not declare {name} any more ([Throws])");
                }
                else if (Text(one, "status") != Text(same, "status"))
                {
                    report($"{name} has the status {Text(same, "status") ?? "500"}, and had {Text(one, "status") ?? "500"} ([Throws])");
                }
            }
        }

        private void Routes(object? before, object? after)
        {
            var served = new HashSet<string>(Items(after, "routes").SelectMany(RouteNames), StringComparer.OrdinalIgnoreCase);
            foreach (var route in Items(before, "routes").SelectMany(RouteNames).Take(isClient ? 1 : int.MaxValue).Where(one => !served.Contains(one)))
            {
                report($"{route} is not served any more");
            }
        }

        // Without constraints: a value that one refuses was refused as the wrong value before.
        private static IEnumerable<string> RouteNames(object? route)
        {
            var path = new StringBuilder();
            var (depth, isName) = (0, true);
            foreach (var character in Text(route, "path") ?? "")
            {
                depth += character switch { '{' => 1, '}' => -1, _ => 0 };
                isName = character switch { '{' => true, '}' => true, ':' or '=' or '?' when depth > 0 => false, _ => isName };
                if (isName && character != '*')
                {
                    path.Append(character);
                }
            }

            return Items(route, "verbs").Select(verb => $"{verb} {path}");
        }

        private void Parameters(object? before, object? after)
        {
            var later = Items(after, "parameters").ToList();
            foreach (var parameter in Items(before, "parameters"))
            {
                var name = WireName(parameter);
                if (later.FirstOrDefault(one => string.Equals(WireName(one), name, StringComparison.OrdinalIgnoreCase)) is not { } same)
                {
                    report($"the parameter '{name}' is not there any more");
                    continue;
                }

                later.Remove(same);
                if (Text(parameter, "in") != Text(same, "in"))
                {
                    report($"the parameter '{name}' comes from '{Text(same, "in")}', and came from '{Text(parameter, "in")}'");
                }
                else if (Flag(parameter, "optional") && !Flag(same, "optional"))
                {
                    report($"the parameter '{name}' must be sent, and was optional");
                }

                Types($"the parameter '{name}'", Text(parameter, "type") ?? "", Text(same, "type") ?? "", isSent: true);
            }

            foreach (var parameter in later.Where(static one => !Flag(one, "optional")))
            {
                report($"the parameter '{WireName(parameter)}' is new, and must be sent");
            }
        }

        private static string WireName(object? parameter) => Text(parameter, "wire") ?? Text(parameter, "name") ?? "";

        private void Types(string what, string before, string after, bool isSent)
        {
            var (isNullableBefore, isNullableAfter) = (IsNullable(before), IsNullable(after));
            if (isSent && isNullableBefore && !isNullableAfter)
            {
                report($"{what} may not be null any more");
            }
            else if (!isSent && !isNullableBefore && isNullableAfter)
            {
                report($"{what} may be null, and was never");
            }

            var (coreBefore, coreAfter) = (before.TrimEnd('?'), after.TrimEnd('?'));
            foreach (var suffix in new[] { "[]", "{}" })
            {
                if (coreBefore.EndsWith(suffix, StringComparison.Ordinal) && coreAfter.EndsWith(suffix, StringComparison.Ordinal))
                {
                    Types($"{(suffix == "[]" ? "an item" : "a value")} of {what}", coreBefore.Substring(0, coreBefore.Length - 2), coreAfter.Substring(0, coreAfter.Length - 2), isSent);
                    return;
                }
            }

            if (Definition(typesBefore, coreBefore) is { } definitionBefore && Definition(typesAfter, coreAfter) is { } definitionAfter)
            {
                Definitions(what, coreBefore, coreAfter, definitionBefore, definitionAfter, isSent);
            }
            else if (Scalar(coreBefore) != Scalar(coreAfter))
            {
                report($"{what} is {coreAfter}, and was {coreBefore}");
            }
        }

        private static bool IsNullable(string type) => type.Length > 0 && type[type.Length - 1] == '?';

        // A type that parses its text is text.
        private static string Scalar(string type) => type == "text" ? "string" : type;

        private static object? Definition(object? types, string name) => types is Dictionary<string, object?> all && all.TryGetValue(name, out var definition) ? definition : null;

        private void Definitions(string what, string nameBefore, string nameAfter, object? before, object? after, bool isSent)
        {
            if (!_compared.Add((nameBefore, nameAfter, isSent)))
            {
                return;
            }

            var (isEnumBefore, isEnumAfter) = (Member(before, "enum") is not null, Member(after, "enum") is not null);
            // Several names in one value: a server that does not know them, or a client.
            var hasOtherFlags = isSent ? Flag(before, "flags") && !Flag(after, "flags") : !Flag(before, "flags") && Flag(after, "flags") && !Flag(before, "open");
            if (isEnumBefore != isEnumAfter || Text(before, "discriminator") != Text(after, "discriminator") || hasOtherFlags)
            {
                report($"{what} has another form: {Short(nameAfter)}, and was {Short(nameBefore)}");
            }
            else if (isEnumBefore)
            {
                foreach (var name in Items(before, "enum").Except(Items(after, "enum")).Where(_ => isSent || !isClient))
                {
                    report($"{what}: {Short(nameBefore)} has no '{name}' any more");
                }

                foreach (var name in Items(after, "enum").Except(Items(before, "enum")).Where(_ => IsClosed(before, isSent)))
                {
                    report($"{what}: {Short(nameBefore)} has '{name}', which a caller in C# does not know; [EnumFallback] on a member, in the accepted contract, lets it read such names");
                }
            }
            else
            {
                Cases(what, nameBefore, before, after, isSent);
                Members(what, nameBefore, before, after, isSent);
            }
        }

        // Whether a caller that was built with a type cannot read what is added to it.
        private bool IsClosed(object? before, bool isSent) => !isSent && !isClient && !Flag(before, "open");

        private void Cases(string what, string name, object? before, object? after, bool isSent)
        {
            foreach (var one in Items(before, "cases"))
            {
                var value = Text(one, "value");
                if (Items(after, "cases").FirstOrDefault(other => Text(other, "value") == value) is { } same)
                {
                    Types($"{what} as '{value}'", Text(one, "type") ?? "", Text(same, "type") ?? "", isSent);
                }
                else if (isSent || !isClient)
                {
                    report($"{what}: {Short(name)} has no case '{value}' any more");
                }
            }

            foreach (var one in Items(after, "cases").Where(one => IsClosed(before, isSent) && Items(before, "cases").All(other => Text(other, "value") != Text(one, "value"))))
            {
                report($"{what}: {Short(name)} has the case '{Text(one, "value")}', which a caller in C# does not know; JsonPolymorphic(IgnoreUnrecognizedTypeDiscriminators = true), in the accepted contract, lets it read such cases");
            }
        }

        private void Members(string what, string typeName, object? before, object? after, bool isSent)
        {
            var hidden = isSent ? "readOnly" : "writeOnly";
            var later = Items(after, "members").Where(one => !Flag(one, hidden)).ToList();
            foreach (var member in Items(before, "members").Where(one => !Flag(one, hidden)))
            {
                var name = Text(member, "name");
                var path = $"'{name}' of {Short(typeName)}";
                if (later.FirstOrDefault(one => string.Equals(Text(one, "name"), name, isSent ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal)) is not { } same)
                {
                    report($"{what}: {path} is not {(isSent ? "read" : "there")} any more");
                    continue;
                }

                later.Remove(same);
                if (isSent && Flag(member, "optional") && !Flag(same, "optional") && (!isClient || Flag(member, "omitted")))
                {
                    report($"{what}: {path} must be sent, and was optional");
                }
                else if (!isSent && !Flag(member, "omitted") && Flag(same, "omitted"))
                {
                    report($"{what}: {path} may lack, and was always there");
                }

                Types($"{what}: {path}", Text(member, "type") ?? "", Text(same, "type") ?? "", isSent);
            }

            foreach (var member in later.Where(one => isSent && !Flag(one, "optional")))
            {
                report($"{what}: '{Text(member, "name")}' of {Short(typeName)} is new, and must be sent");
            }
        }

        private static string Short(string type)
        {
            var end = type.IndexOf('<');
            var start = type.LastIndexOf('.', end < 0 ? type.Length - 1 : end);
            return type.Substring(start + 1);
        }
    }
}
