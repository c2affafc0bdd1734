using Microsoft.CodeAnalysis.CSharp;

namespace Weir.Generator.Parsing;

/// <summary>Which names are valid in a path.</summary>
internal static class NameRules
{
    /// <summary>Whether a name is one path segment: letters, digits, <c>_</c> and <c>-</c>.</summary>
    public static bool IsSegment(string name) =>
        name.Length > 0 && name.All(static character => character == '-' || SyntaxFacts.IsIdentifierPartCharacter(character));
}
