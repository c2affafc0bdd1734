using System.Globalization;
using System.Text;
using Weir.Cli.Terminal;

namespace Weir.Cli.Answers;

/// <summary>Prints why a call failed. What a server sends as a problem may be anything.</summary>
internal static class ProblemText
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
        var problem = JsonMembers.Parse(text) ?? default;
        string[] words = [.. new[] { JsonMembers.Text(problem, "code"), JsonMembers.Text(problem, "title"), JsonMembers.Text(problem, "detail") }.OfType<string>()];
        var reason = words.Length > 0 ? string.Join(": ", words.Select(static word => SafeText.Cut(word, MostText))) : SafeText.Cut(Encoding.UTF8.GetString(text.Span), MostText);
        await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: {status}{(reason.Length == 0 ? "" : ": ")}{reason}"));
        var errors = JsonMembers.List(problem, "bindingErrors") ?? [];
        foreach (var error in errors.Take(MostErrors))
        {
            var expected = JsonMembers.Text(error, "expected") is { } choice ? $", expected {choice}" : "";
            await console.Error.WriteLineAsync(SafeText.Cut($"weir:   {JsonMembers.Text(error, "name")} ({JsonMembers.Text(error, "source")}): {JsonMembers.Text(error, "reason")}{expected}", MostText));
        }

        if (errors.Count > MostErrors)
        {
            await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir:   and {errors.Count - MostErrors} more; --json prints them all."));
        }
    }

    /// <summary>The status that a problem in a stream has.</summary>
    public static int StatusOf(ReadOnlyMemory<byte> text) => JsonMembers.Parse(text) is { } problem && JsonMembers.Number(problem, "status") is >= 100 and <= 599 and var status ? (int)status : 500;

    /// <summary>Its code, such as <c>WEIR2045</c>; <c>null</c> where it has none.</summary>
    public static string? CodeOf(ReadOnlyMemory<byte> text) => JsonMembers.Parse(text) is { } problem ? JsonMembers.Text(problem, "code") : null;
}
