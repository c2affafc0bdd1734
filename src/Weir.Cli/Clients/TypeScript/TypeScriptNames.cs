using System.Globalization;
using System.Text;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Names in a generated file: different for different things, and none that hides what the file uses.</summary>
internal sealed class TypeScriptNames
{
    // What the code that every client has uses or declares.
    private static readonly string[] Reserved =
    [
        "Array", "ArrayBuffer", "AbortController", "AbortSignal", "AsyncGenerator", "AsyncIterable", "Blob", "BodyInit", "Error", "FormData", "Iterable", "JSON", "Math", "Number", "Object", "Promise", "Readonly",
        "ReadableStream", "Record", "RegExp", "RequestInit", "Response", "ReturnType", "Set", "ReadonlySet", "String", "Symbol", "SyntaxError", "TextDecoder", "TextEncoder", "TypeError", "URLSearchParams", "Uint8Array",
        "ExactNumber", "ExactNumberInput", "FileInput", "BytesInput", "ClientOptions", "CallOptions", "StreamOptions", "StreamState", "BindingError", "WeirProblem", "StreamInterrupted", "WeirStream", "ParameterPlace",
        "ParameterInfo", "OperationInfo", "Arguments", "NamedType", "NamedTypes", "ExactJsonReader", "WeirConnection", "StreamPosition", "StreamEnd", "Client", "createClient", "string", "number", "boolean", "unknown", "any", "never", "object",
    ];

    private readonly HashSet<string> _taken = new(Reserved, StringComparer.Ordinal);

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

    private bool TryTake(string name, out string taken)
    {
        taken = name;
        return _taken.Add(name);
    }

    // Shop.Page<Shop.Order> → Shop, PageOfOrder
    private static List<string> Parts(string fullName)
    {
        var open = fullName.IndexOf('<', StringComparison.Ordinal);
        if (open < 0)
        {
            return [.. fullName.Split('.').Select(static one => Identifier(one, isUpper: true))];
        }

        var parts = Parts(fullName[..open]);
        var arguments = Arguments(fullName[(open + 1)..^1]).Select(static one => Parts(one.TrimEnd('?', '[', ']'))[^1] + (one.Contains("[]", StringComparison.Ordinal) && !one.EndsWith('>') ? "List" : "") + (one.EndsWith('?') ? "OrNull" : ""));
        parts[^1] += "Of" + string.Join("And", arguments);
        return parts;
    }

    private static IEnumerable<string> Arguments(string list)
    {
        var (depth, start) = (0, 0);
        for (var at = 0; at < list.Length; at++)
        {
            depth += list[at] switch { '<' => 1, '>' => -1, _ => 0 };
            if (list[at] == ',' && depth == 0)
            {
                yield return list[start..at].Trim();
                start = at + 1;
            }
        }

        yield return list[start..].Trim();
    }

    // HTMLPage → htmlPage, as .NET forms names of members.
    private static string Camel(string name) => System.Text.Json.JsonNamingPolicy.CamelCase.ConvertName(name);
}
