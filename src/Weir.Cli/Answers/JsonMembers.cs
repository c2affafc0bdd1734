using System.Text.Json;

namespace Weir.Cli.Answers;

/// <summary>Reads members of JSON that a server sent, which may be anything: what is not there, or of another kind, is <c>null</c>.</summary>
internal static class JsonMembers
{
    /// <summary>Deeper JSON is not read.</summary>
    public const int MostDepth = 1000;

    /// <summary>Reads a whole document.</summary>
    /// <param name="text">UTF-8, of anyone.</param>
    /// <returns>It, without a reference to the text; <c>null</c> where it is no JSON.</returns>
    public static JsonElement? Parse(ReadOnlyMemory<byte> text)
    {
        try
        {
            return JsonElement.Parse(text.Span, new JsonDocumentOptions { MaxDepth = MostDepth });
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>A text. Half a surrogate pair is none, and stays as it was sent.</summary>
    public static string? Text(JsonElement json, string name)
    {
        if (Member(json, name, JsonValueKind.String) is not { } found)
        {
            return null;
        }

        try
        {
            return found.GetString();
        }
        catch (InvalidOperationException)
        {
            return found.GetRawText();
        }
    }

    /// <summary>A whole number.</summary>
    public static long? Number(JsonElement json, string name) => Member(json, name, JsonValueKind.Number) is { } found && found.TryGetInt64(out var number) ? number : null;

    /// <summary>A finite number.</summary>
    public static double? Fraction(JsonElement json, string name) =>
        Member(json, name, JsonValueKind.Number) is { } found && found.TryGetDouble(out var number) && double.IsFinite(number) ? number : null;

    /// <summary>Whether it is <c>true</c>.</summary>
    public static bool IsTrue(JsonElement json, string name) => Member(json, name, JsonValueKind.True) is not null;

    /// <summary>An object.</summary>
    public static JsonElement? Object(JsonElement json, string name) => Member(json, name, JsonValueKind.Object);

    /// <summary>The elements of a list.</summary>
    public static IReadOnlyList<JsonElement>? List(JsonElement json, string name) => Member(json, name, JsonValueKind.Array) is { } found ? [.. found.EnumerateArray()] : null;

    private static JsonElement? Member(JsonElement json, string name, JsonValueKind kind)
    {
        try
        {
            return json.ValueKind == JsonValueKind.Object && json.TryGetProperty(name, out var found) && found.ValueKind == kind ? found : null;
        }
        catch (InvalidOperationException)
        {
            // Another name of the object is no text.
            return null;
        }
    }
}
