using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Weir.Generator.Emission;
using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>The ids that an assembly gives its own obsolete symbols: <c>[Obsolete(DiagnosticId = "OLD1")]</c>. Generated code uses such symbols, and its head disables only the ids of the compiler.</summary>
internal static class ObsoleteIds
{
    /// <summary>All of them, each once.</summary>
    public static IncrementalValueProvider<EquatableArray<string>> All(SyntaxValueProvider syntax) =>
        // By its syntax: an attribute with a target, [property: Obsolete], is on another symbol than the one that it stands at.
        syntax.CreateSyntaxProvider(
                static (node, _) => node is AttributeArgumentSyntax { NameEquals.Name.Identifier.ValueText: "DiagnosticId", Parent.Parent: AttributeSyntax attribute } && IsObsolete(attribute.Name),
                static (context, cancellationToken) => context.SemanticModel.GetConstantValue(((AttributeArgumentSyntax)context.Node).Expression, cancellationToken).Value as string ?? "")
            .Where(static id => SyntaxFacts.IsValidIdentifier(id))
            .Collect()
            .Select(static (ids, _) => ids.Distinct().OrderBy(static one => one, StringComparer.Ordinal).ToEquatableArray());

    /// <summary>A generated file that may use the symbols.</summary>
    public static string Disable(string text, EquatableArray<string> ids)
    {
        var at = ids.Count == 0 ? -1 : text.IndexOf(SourceWriter.Nullable, StringComparison.Ordinal);
        return at < 0 ? text : text.Insert(at, $"#pragma warning disable {string.Join(", ", ids)}\n");
    }

    private static bool IsObsolete(NameSyntax name) => ((name as QualifiedNameSyntax)?.Right ?? name as SimpleNameSyntax)?.Identifier.ValueText is "Obsolete" or "ObsoleteAttribute";
}
