using System.Globalization;
using System.Text;

namespace Weir.Generator.Emission;

/// <summary>Writes JSON. The generator runs in compilers whose framework has no serializer.</summary>
internal static class JsonText
{
    /// <summary>A JSON string.</summary>
    public static string Quote(string text)
    {
        var json = new StringBuilder(text.Length + 2).Append('"');
        foreach (var character in text)
        {
            _ = character switch
            {
                '"' => json.Append("\\\""),
                '\\' => json.Append("\\\\"),
                '\n' => json.Append("\\n"),
                '\r' => json.Append("\\r"),
                '\t' => json.Append("\\t"),
                < ' ' or '\u2028' or '\u2029' => json.Append("\\u").Append(((int)character).ToString("x4", CultureInfo.InvariantCulture)),
                _ => json.Append(character),
            };
        }

        return json.Append('"').ToString();
    }

    /// <summary>A member with a text; empty without one.</summary>
    public static string Member(string name, string? text) => text is null ? "" : $"{Quote(name)}:{Quote(text)},";

    /// <summary>A member that is <c>true</c>; empty where it is not.</summary>
    public static string Flag(string name, bool value) => value ? $"{Quote(name)}:true," : "";

    /// <summary>An object of members, each of which ends in a comma or is empty.</summary>
    public static string Object(params string[] members) => $"{{{string.Concat(members).TrimEnd(',')}}}";

    /// <summary>An array of values.</summary>
    public static string Array(IEnumerable<string> values) => $"[{string.Join(",", values)}]";
}
