using Weir.Cli.Contracts;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>
/// Writes the types of contracts. A type that a request may send in another shape than a result has gets a second one, named with <c>Input</c>:
/// a member that may be left out of a request is always in a result, and a number of 64 bits is text in a result but may be a bigint in a request.
/// </summary>
internal sealed class TypeScriptTypes
{
    private static readonly string[] Exact = ["int64", "uint64", "int128", "uint128", "decimal"];

    private readonly SortedDictionary<string, TypeContract> _types = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _names = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _inputNames = new(StringComparer.Ordinal);
    private readonly HashSet<string> _exact = new(StringComparer.Ordinal);

    /// <param name="services">All services of the file.</param>
    /// <param name="names">The names of the file.</param>
    public TypeScriptTypes(IReadOnlyList<ServiceContract> services, TypeScriptNames names)
    {
        foreach (var (name, type) in services.SelectMany(static one => one.Types))
        {
            _types.TryAdd(name, type);
        }

        foreach (var name in _types.Keys)
        {
            _names.Add(name, names.Type(name));
        }

        var sent = Reachable(services.SelectMany(static one => one.Operations).SelectMany(static one => one.Parameters).Select(static one => one.Type));
        var different = Growing(name => _types[name].Members.Any(static one => one.IsOptional != one.MayBeOmitted || one.IsReadOnly || one.IsWriteOnly || Exact.Contains(Base(one.Type))));
        foreach (var name in sent.Where(different.Contains).Order(StringComparer.Ordinal))
        {
            _inputNames.Add(name, names.Take(_names[name] + "Input"));
        }

        _exact = Growing(name => _types[name].Members.Any(static one => Exact.Contains(Base(one.Type))));
    }

    /// <summary>The type of a value in a result.</summary>
    public string Output(string type) => Convert(type, isInput: false);

    /// <summary>The type of a value in a request.</summary>
    public string Input(string type) => Convert(type, isInput: true);

    /// <summary>A type whose numbers must be read and written by its type; <c>null</c> where <c>JSON.parse</c> loses nothing.</summary>
    public string? ExactType(string? type) => type is not null && IsExact(Base(type)) ? type : null;

    /// <summary>Writes all types.</summary>
    public void Write(TypeScriptText code)
    {
        foreach (var (name, type) in _types)
        {
            code.Line();
            if (type.Names is { } literals)
            {
                code.Comment(type.IsFlags ? "Several names, joined by commas, are a value too." : "");
                code.Line($"export type {_names[name]} = {string.Concat(literals.Select(static one => TypeScriptText.Quote(one) + " | "))}(string & {{}});");
                continue;
            }

            Object(code, _names[name], type, isInput: false);
            if (_inputNames.TryGetValue(name, out var input))
            {
                code.Line();
                code.Comment($"What a request may have as a {_names[name]}.");
                Object(code, input, type, isInput: true);
            }
        }
    }

    /// <summary>Writes the members whose numbers must stay exact, of the types that have some; of a type with cases, which type a value of its discriminator means.</summary>
    public void WriteExact(TypeScriptText code) => code.Block("const namedTypes: NamedTypes =", () =>
    {
        foreach (var name in _exact.Order(StringComparer.Ordinal))
        {
            var type = _types[name];

            // A case without a discriminator cannot be told from the type itself.
            var own = type.Members.Concat(type.Cases.Where(static one => one.Value is null).SelectMany(one => _types.GetValueOrDefault(one.Type)?.Members ?? []));
            var members = own.Where(one => IsExact(Base(one.Type))).DistinctBy(static one => one.Name).Select(static one => $"{TypeScriptNames.Property(one.Name)}: {TypeScriptText.Quote(one.Type)}");
            var cases = type.Cases.Where(static one => one.Value is not null).Select(static one => $"[{(one.Value!.StartsWith('"') ? one.Value : TypeScriptText.Quote(one.Value))}]: {TypeScriptText.Quote(one.Type)}");
            var union = type.Discriminator is { } by ? $", by: {TypeScriptText.Quote(by)}, cases: {{ {string.Join(", ", cases)} }}" : "";
            code.Line($"{TypeScriptNames.Property(name)}: {{ members: {{ {string.Join(", ", members)} }}{union} }},");
        }
    }, "};");

    private static string Base(string type) => type.TrimEnd('?', '[', ']', '{', '}');

    private bool IsExact(string name) => Exact.Contains(name) || _exact.Contains(name);

    private void Object(TypeScriptText code, string name, TypeContract type, bool isInput)
    {
        var members = type.Members.Where(one => isInput ? !one.IsReadOnly : !one.IsWriteOnly).ToList();
        if (type.Cases.Count == 0)
        {
            code.Block($"export interface {name}", () => Members(code, members, isInput));
            return;
        }

        var cases = type.Cases.Select(one => one.Value is null
            ? Convert(one.Type, isInput)
            : $"({{ readonly {TypeScriptNames.Member(type.Discriminator!)}: {one.Value} }} & {CaseOf(name, one.Type, isInput)})");
        code.Line($"export type {name} = {string.Join(" | ", cases)};");
    }

    // A case may be the type itself, which would name itself here: then its own members are written out.
    private string CaseOf(string owner, string type, bool isInput)
    {
        var name = Convert(type, isInput);
        if (name != owner)
        {
            return name;
        }

        var members = _types[type].Members.Where(one => isInput ? !one.IsReadOnly : !one.IsWriteOnly).Select(one => Member(one, isInput));
        return $"{{ {string.Join(" ", members)} }}";
    }

    private void Members(TypeScriptText code, List<MemberContract> members, bool isInput) => members.ForEach(one => code.Line(Member(one, isInput)));

    private string Member(MemberContract member, bool isInput) =>
        $"readonly {TypeScriptNames.Member(member.Name)}{((isInput ? member.IsOptional : member.MayBeOmitted) ? "?" : "")}: {Convert(member.Type, isInput)};";

    private string Convert(string type, bool isInput)
    {
        if (type.EndsWith('?'))
        {
            return Convert(type[..^1], isInput) is var core && core == "unknown" ? core : core + " | null";
        }

        if (type.EndsWith("[]", StringComparison.Ordinal))
        {
            return $"readonly {Group(Convert(type[..^2], isInput))}[]";
        }

        if (type.EndsWith("{}", StringComparison.Ordinal))
        {
            return $"{{ readonly [name: string]: {Convert(type[..^2], isInput)} }}";
        }

        return type switch
        {
            "boolean" => "boolean",
            "string" or "text" or "char" or "uuid" or "uri" or "date" or "time" or "date-time" or "date-time-offset" or "duration" or "bytes" => "string",
            "int8" or "int16" or "int32" or "uint8" or "uint16" or "uint32" or "float16" or "float32" or "float64" => "number",
            _ when Exact.Contains(type) => isInput ? "ExactNumberInput" : "ExactNumber",
            "file" => "FileInput",
            _ => (isInput && _inputNames.TryGetValue(type, out var input) ? input : null) ?? _names.GetValueOrDefault(type) ?? "unknown",
        };
    }

    private static string Group(string type) => type.Contains(' ', StringComparison.Ordinal) ? $"({type})" : type;

    private HashSet<string> Reachable(IEnumerable<string> types)
    {
        var found = new HashSet<string>(StringComparer.Ordinal);
        var waiting = new Stack<string>(types.Select(Base));
        while (waiting.TryPop(out var name))
        {
            if (_types.TryGetValue(name, out var type) && found.Add(name))
            {
                foreach (var reference in References(type))
                {
                    waiting.Push(reference);
                }
            }
        }

        return found;
    }

    // The types that have a property, or use one that has it.
    private HashSet<string> Growing(Func<string, bool> has)
    {
        var found = _types.Keys.Where(has).ToHashSet(StringComparer.Ordinal);
        while (_types.Where(one => !found.Contains(one.Key) && References(one.Value).Any(found.Contains)).Select(static one => one.Key).ToList() is { Count: > 0 } more)
        {
            found.UnionWith(more);
        }

        return found;
    }

    private static IEnumerable<string> References(TypeContract type) => type.Members.Select(static one => Base(one.Type)).Concat(type.Cases.Select(static one => one.Type));
}
