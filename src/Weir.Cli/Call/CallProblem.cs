using System.Globalization;
using System.Text;
using System.Text.Json;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary>Prints why a call failed. What a server sends as a problem may be anything.</summary>
internal static class CallProblem
{
    /// <summary>The most bytes of a problem that are read.</summary>
    public const int MostBytes = 1024 * 1024;

    // What a person reads; --json prints all of it.
    private const int MostText = 2000;
    private const int MostErrors = 50;

    /// <summary>Lines for a person: status, code and reason, then every binding error.</summary>
    /// <param name="console">Where they are printed.</param>
    /// <param name="status">The status of the answer.</param>
    /// <param name="text">The problem as it was sent; anything else where something in between answered.</param>
    public static async Task PrintAsync(CommandConsole console, int status, ReadOnlyMemory<byte> text)
    {
        using var parsed = Parse(text);
        var problem = parsed?.RootElement ?? default;
        string[] words = [.. new[] { Text(problem, "code"), Text(problem, "title"), Text(problem, "detail") }.OfType<string>()];
        var reason = words.Length > 0 ? string.Join(": ", words.Select(static word => SafeText.Cut(word, MostText))) : SafeText.Cut(Encoding.UTF8.GetString(text.Span), MostText);
        await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: {status}{(reason.Length == 0 ? "" : ": ")}{reason}"));
        if (problem.ValueKind != JsonValueKind.Object || !problem.TryGetProperty("bindingErrors", out var errors) || errors.ValueKind != JsonValueKind.Array)
        {
            return;
        }

        foreach (var error in errors.EnumerateArray().Take(MostErrors))
        {
            var expected = Text(error, "expected") is { } choice ? $", expected {choice}" : "";
            await console.Error.WriteLineAsync(SafeText.Cut($"weir:   {Text(error, "name")} ({Text(error, "source")}): {Text(error, "reason")}{expected}", MostText));
        }

        if (errors.GetArrayLength() > MostErrors)
        {
            await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir:   and {errors.GetArrayLength() - MostErrors} more; --json prints them all."));
        }
    }

    /// <summary>The status that a problem in a stream has.</summary>
    public static int StatusOf(ReadOnlyMemory<byte> text)
    {
        using var parsed = Parse(text);
        return parsed?.RootElement is { } problem && problem.TryGetProperty("status", out var status) && status.ValueKind == JsonValueKind.Number && status.TryGetInt32(out var number) && number is >= 100 and <= 599
            ? number
            : 500;
    }

    // Null where it is no object.
    private static JsonDocument? Parse(ReadOnlyMemory<byte> text)
    {
        try
        {
            var document = JsonDocument.Parse(text);
            if (document.RootElement.ValueKind == JsonValueKind.Object)
            {
                return document;
            }

            document.Dispose();
        }
        catch (JsonException)
        {
            // Something in between answered with text.
        }

        return null;
    }

    private static string? Text(JsonElement json, string name)
    {
        if (json.ValueKind != JsonValueKind.Object || !json.TryGetProperty(name, out var found) || found.ValueKind != JsonValueKind.String)
        {
            return null;
        }

        try
        {
            return found.GetString();
        }
        catch (InvalidOperationException)
        {
            // Half a surrogate pair is no text.
            return found.GetRawText();
        }
    }
}
