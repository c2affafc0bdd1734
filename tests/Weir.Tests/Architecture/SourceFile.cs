using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

/// <summary>One C# file and the identifiers in it.</summary>
internal sealed partial class SourceFile
{
    private static readonly CSharpParseOptions Options = new(
        LanguageVersion.Preview,
        preprocessorSymbols: ["NET", "NET8_0_OR_GREATER", "NET9_0_OR_GREATER", "NET10_0_OR_GREATER"]);

    private readonly Lazy<CompilationUnitSyntax> _syntax;

    public SourceFile(string path, string text)
    {
        Path = path;
        Text = text;
        _syntax = new(() => (CompilationUnitSyntax)CSharpSyntaxTree.ParseText(text, Options).GetRoot());
    }

    /// <summary>Relative to the root, with slashes.</summary>
    public string Path { get; }

    public string Text { get; }

    public CompilationUnitSyntax Syntax => _syntax.Value;

    public Finding At(SyntaxToken token, string what) => At(token.SpanStart, what);

    public Finding At(int position, string what) => new(Path, Text.AsSpan(0, position).Count('\n') + 1, what);

    /// <summary>The places of a phrase of identifiers, as <c>Process.Start</c>.</summary>
    /// <remarks>
    /// Comments and strings do not count, except strings in attributes (the entry point of a native function). A star
    /// at the end stands for any rest of the last identifier.
    /// </remarks>
    public IEnumerable<Finding> Says(string phrase)
    {
        var parts = phrase.Split('.');
        var tokens = Syntax.DescendantTokens().ToArray();
        for (var start = 0; start < tokens.Length; start++)
        {
            if (StartsHere(tokens.AsSpan(start), parts))
            {
                yield return At(tokens[start], $"says {phrase}");
            }
        }
    }

    /// <summary>Identifiers that have a word among their camel-case words: <c>ProcessId</c> has <c>process</c>, <c>ProcessorCount</c> has not.</summary>
    public IEnumerable<Finding> SaysWord(string word) =>
        from token in Syntax.DescendantTokens()
        where token.IsKind(SyntaxKind.IdentifierToken)
        where CamelCaseWord().Matches(token.ValueText).Any(match => string.Equals(match.Value, word, StringComparison.OrdinalIgnoreCase))
        select At(token, $"says {token.ValueText}");

    private static bool StartsHere(ReadOnlySpan<SyntaxToken> tokens, string[] parts)
    {
        for (var part = 0; part < parts.Length; part++)
        {
            var at = 2 * part;
            if (at >= tokens.Length
                || !Matches(Name(tokens[at]), parts[part])
                || (part > 0 && !tokens[at - 1].IsKind(SyntaxKind.DotToken)))
            {
                return false;
            }
        }

        return true;
    }

    private static bool Matches(string? name, string part) =>
        name is not null && (part.EndsWith('*') ? name.StartsWith(part[..^1], StringComparison.Ordinal) : name == part);

    private static string? Name(SyntaxToken token) => token.Kind() switch
    {
        SyntaxKind.IdentifierToken => token.ValueText,
        SyntaxKind.StringLiteralToken when token.Parent?.FirstAncestorOrSelf<AttributeSyntax>() is not null => token.ValueText,
        _ => null,
    };

    // HttpRequestId, _httpRequestId and HTTP_REQUEST_ID are http, request, id.
    [GeneratedRegex("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")]
    private static partial Regex CamelCaseWord();
}
