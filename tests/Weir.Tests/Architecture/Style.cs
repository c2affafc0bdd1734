using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

/// <summary>Rules of style for source files that the compiler does not enforce.</summary>
internal static class Style
{
    // Attributes whose source generator writes the other part of a method.
    private static readonly string[] GeneratorAttributes = ["LibraryImport", "LoggerMessage", "GeneratedRegex"];

    private static readonly string[] UnfinishedWords = ["TODO", "FIXME", "HACK"];

    // Types that grow without a limit by default: generic types, and names that have no other meaning.
    private static readonly string[] UnboundedTypes =
        ["Queue", "PriorityQueue", "ConcurrentQueue", "ConcurrentStack", "ConcurrentBag", "BlockingCollection"];

    private static readonly string[] UnboundedNames = ["Channel.CreateUnbounded*", "MemoryStream"];

    public static IEnumerable<Finding> Regions(SourceFile file) =>
        Trivia(file, SyntaxKind.RegionDirectiveTrivia).Select(trivia => file.At(trivia.SpanStart, "#region: a type that was never born"));

    public static IEnumerable<Finding> BlockNamespaces(SourceFile file) =>
        file.Syntax.DescendantNodes().OfType<NamespaceDeclarationSyntax>()
            .Select(node => file.At(node.SpanStart, "a namespace with braces; namespaces are file-scoped"));

    public static IEnumerable<Finding> UnfinishedWork(SourceFile file) =>
        from trivia in file.Syntax.DescendantTrivia()
        where IsComment(trivia)
        let text = trivia.ToFullString()
        from word in UnfinishedWords
        let at = text.IndexOf(word, StringComparison.Ordinal)
        where at >= 0
        select file.At(trivia.SpanStart + at, $"{word}: finish it, or write it into an issue");

    /// <summary>Using directives that are not in order: System first, then by name; static ones and aliases follow.</summary>
    public static IEnumerable<Finding> UnsortedUsings(SourceFile file) =>
        from scope in file.Syntax.DescendantNodesAndSelf().Select(static node => node switch
        {
            CompilationUnitSyntax unit => unit.Usings,
            BaseNamespaceDeclarationSyntax space => space.Usings,
            _ => default,
        })
        from pair in scope.Zip(scope.Skip(1))
        where Comparer<(int, int, string)>.Default.Compare(SortKey(pair.First), SortKey(pair.Second)) > 0
        select file.At(pair.Second.SpanStart, $"'{pair.Second}' belongs before '{pair.First}'");

    /// <summary>Handwritten partial types: types of which no generator writes the other part.</summary>
    public static IEnumerable<Finding> PartsByHand(SourceFile file) =>
        from type in file.Syntax.DescendantNodes().OfType<TypeDeclarationSyntax>()
        where type.Modifiers.Any(SyntaxKind.PartialKeyword) && !IsCompletedByGenerator(type)
        select file.At(type.Identifier, $"'{type.Identifier.ValueText}' is partial by hand");

    /// <summary>Queues and buffers without a bound whose file does not say why.</summary>
    public static IEnumerable<Finding> UnexplainedQueues(SourceFile file)
    {
        var types =
            from name in file.Syntax.DescendantNodes().OfType<GenericNameSyntax>()
            where UnboundedTypes.Contains(name.Identifier.ValueText)
            select file.At(name.Identifier, $"says {name.Identifier.ValueText}");
        return file.Syntax.DescendantTrivia().Any(trivia => IsComment(trivia) && SaysBounded(trivia.ToFullString()))
            ? []
            : types.Concat(UnboundedNames.SelectMany(file.Says)).Select(finding => finding with { What = finding.What + ", and no comment says what bounds it" });
    }

    private static (int Kind, int IsOther, string Name) SortKey(UsingDirectiveSyntax directive)
    {
        var name = (directive.Alias?.Name ?? directive.NamespaceOrType).ToString();
        var kind = directive.Alias is not null ? 2 : directive.StaticKeyword.IsKind(SyntaxKind.None) ? 0 : 1;
        var isSystem = kind < 2 && (name == "System" || name.StartsWith("System.", StringComparison.Ordinal));

        // Globalization is invariant, so names are compared by code point; a dot must come before every letter and digit.
        return (kind, isSystem ? 0 : 1, name.ToUpperInvariant().Replace('.', '\u0001'));
    }

    private static bool SaysBounded(string comment) =>
        comment.Contains("bound", StringComparison.OrdinalIgnoreCase) || comment.Contains("at most", StringComparison.OrdinalIgnoreCase);

    private static bool IsCompletedByGenerator(TypeDeclarationSyntax type) =>
        type.BaseList?.Types.Any(item => item.Type.ToString() == "JsonSerializerContext") == true
        || type.Members.Any(member => member switch
        {
            MethodDeclarationSyntax method => method.AttributeLists.SelectMany(list => list.Attributes)
                .Any(attribute => GeneratorAttributes.Contains(attribute.Name.ToString())),
            TypeDeclarationSyntax nested => nested.Modifiers.Any(SyntaxKind.PartialKeyword) && IsCompletedByGenerator(nested),
            _ => false,
        });

    private static bool IsComment(SyntaxTrivia trivia) => trivia.Kind()
        is SyntaxKind.SingleLineCommentTrivia
        or SyntaxKind.MultiLineCommentTrivia
        or SyntaxKind.SingleLineDocumentationCommentTrivia
        or SyntaxKind.MultiLineDocumentationCommentTrivia;

    private static IEnumerable<SyntaxTrivia> Trivia(SourceFile file, SyntaxKind kind) =>
        file.Syntax.DescendantTrivia().Where(trivia => trivia.IsKind(kind));
}
