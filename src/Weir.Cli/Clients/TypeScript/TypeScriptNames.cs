using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Names in a generated file: different for different things, and none that hides what the file uses.</summary>
internal sealed partial class TypeScriptNames
{
    // What the code of types and services uses or declares; names that TypeScript does not let a type have begin with a small letter.
    private static readonly string[] Reserved = ["Client", "Iterable", "AsyncIterable", "Promise", "Readonly", "Response", "Uint8Array"];

    private readonly HashSet<string> _taken;

    /// <param name="runtime">The code that every client has: no type has a name that occurs in it.</param>
    public TypeScriptNames(string runtime) =>
        _taken = new HashSet<string>(Words().Matches(WithoutText(runtime)).Select(static one => one.Value).Concat(Reserved), StringComparer.Ordinal);

    /// <summary>A name for a type: the last part of its full name, longer where another type has that.</summary>
    /// <param name="fullName">As the contract has it: <c>Shop.Page&lt;Shop.Order&gt;</c>.</param>
    public string Type(string fullName)
    {
        var parts = Parts(fullName);
        for (var count = 1; count <= parts.Count; count++)
        {
            if (TryTake(string.Concat(parts.TakeLast(count)), out var name))
            {
                return name;
            }
        }

        return Take(string.Concat(parts));
    }

    /// <summary>A name that nothing has yet.</summary>
    public string Take(string wish)
    {
        for (var number = 2; ; number++)
        {
            if (TryTake(number == 2 ? wish : wish + number.ToString(CultureInfo.InvariantCulture), out var name))
            {
                return name;
            }
        }
    }

    /// <summary>An identifier: other characters are left out, and the letter after them is upper case.</summary>
    public static string Identifier(string text, bool isUpper)
    {
        var name = new StringBuilder(text.Length);
        var next = isUpper;
        foreach (var character in text)
        {
            if (char.IsAsciiLetterOrDigit(character) || character is '_' or '$' || (char.IsLetter(character) && character > 127))
            {
                name.Append(next ? char.ToUpperInvariant(character) : character);
                next = false;
            }
            else
            {
                next = name.Length > 0 || isUpper;
            }
        }

        if (name.Length == 0 || char.IsAsciiDigit(name[0]))
        {
            name.Insert(0, '_');
        }

        return isUpper ? name.ToString() : Camel(name.ToString());
    }

    /// <summary>A member of an object, in quotes where it is no identifier.</summary>
    public static string Member(string name) => name.Length > 0 && !char.IsAsciiDigit(name[0]) && name.All(static one => char.IsAsciiLetterOrDigit(one) || one is '_' or '$') ? name : TypeScriptText.Quote(name);

    /// <summary>The name of a member in an object literal, where <c>__proto__</c> would be the object's prototype.</summary>
    public static string Property(string name) => name == "__proto__" ? "[\"__proto__\"]" : Member(name);

    private bool TryTake(string name, out string taken)
    {
        taken = name;
        return _taken.Add(name);
    }

    // Shop.Page<Shop.Order> → Shop, PageOfOrder; Shop.Page<int>.Row → Shop, PageOfIntRow, because without the argument it would name several types.
    private static List<string> Parts(string fullName)
    {
        var parts = new List<string>();
        var isInGeneric = false;
        foreach (var segment in Split(fullName, '.'))
        {
            var open = segment.IndexOf('<', StringComparison.Ordinal);
            var part = open < 0
                ? Identifier(segment, isUpper: true)
                : $"{Identifier(segment[..open], isUpper: true)}Of{string.Join("And", Split(segment[(open + 1)..segment.LastIndexOf('>')], ',').Select(ArgumentName))}";
            if (isInGeneric)
            {
                parts[^1] += part;
            }
            else
            {
                parts.Add(part);
            }

            isInGeneric |= open >= 0;
        }

        return parts;
    }

    // int?[] → IntOrNullList
    private static string ArgumentName(string type) => type switch
    {
        _ when type.EndsWith('?') => ArgumentName(type[..^1]) + "OrNull",
        _ when type.EndsWith(']') => ArgumentName(type[..type.LastIndexOf('[')]) + "List",
        _ => Parts(type)[^1],
    };

    // What is between separators, but for those within a list of arguments.
    private static IEnumerable<string> Split(string text, char separator)
    {
        var (depth, start) = (0, 0);
        for (var at = 0; at < text.Length; at++)
        {
            depth += text[at] switch { '<' or '(' => 1, '>' or ')' => -1, _ => 0 };
            if (text[at] == separator && depth == 0)
            {
                yield return text[start..at].Trim();
                start = at + 1;
            }
        }

        yield return text[start..].Trim();
    }

    // Without comments and texts, whose words are no names; of a text with values only those remain.
    private static string WithoutText(string code) =>
        Texts().Replace(code, static found => found.Value[0] == '`' ? string.Join(' ', Values().Matches(found.Value).Select(static one => one.Value)) : " ");

    [GeneratedRegex(@"/\*[\s\S]*?\*/|^\s*//.*$|""(?:[^""\\\n]|\\.)*""|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", RegexOptions.Multiline)]
    private static partial Regex Texts();

    [GeneratedRegex(@"\$\{[^}]*\}")]
    private static partial Regex Values();

    [GeneratedRegex(@"(?<![\w$.#])[A-Z]\w*")]
    private static partial Regex Words();

    // HTMLPage → htmlPage, as .NET forms names of members.
    private static string Camel(string name) => System.Text.Json.JsonNamingPolicy.CamelCase.ConvertName(name);
}
