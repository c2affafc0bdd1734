using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Weir.Generator.Model;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Services;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Pipeline;

/// <summary>Finds the classes that are served and the interfaces that are contracts, each once.</summary>
internal static class MarkedClasses
{
    public static IEnumerable<IncrementalValuesProvider<ParsedService>> Services(SyntaxValueProvider syntax, IncrementalValuesProvider<ParsedContract> contracts) =>
        MarkedTypes.Marks.Select(marker => syntax.ForAttributeWithMetadataName(
                "Weir." + marker,
                static (node, _) => node is ClassDeclarationSyntax or RecordDeclarationSyntax,
                (context, cancellationToken) => Service(context, marker, cancellationToken))
            .Where(static one => one is not null)
            .Select(static (one, _) => one!))
            // After the classes: where one serves the interface as well, the interface's mark is the error.
            .Append(contracts.Where(static one => one.Foreign is not null).Select(static (one, _) => one.Foreign!));

    public static IncrementalValuesProvider<ParsedContract> Contracts(SyntaxValueProvider syntax) =>
        syntax.ForAttributeWithMetadataName(
            "Weir.ServiceAttribute",
            static (node, _) => node is InterfaceDeclarationSyntax,
            static (context, cancellationToken) => ContractCheck.Run(context.SemanticModel.Compilation, (INamedTypeSymbol)context.TargetSymbol, cancellationToken));

    /// <summary>Classes that implement a contract and are not marked.</summary>
    public static IncrementalValuesProvider<UnmarkedClassModel> Unmarked(SyntaxValueProvider syntax) =>
        syntax.CreateSyntaxProvider(
                static (node, _) => node is ClassDeclarationSyntax { BaseList: not null } or RecordDeclarationSyntax { BaseList: not null },
                static (context, cancellationToken) => context.SemanticModel.GetDeclaredSymbol(context.Node, cancellationToken) is INamedTypeSymbol type && UnmarkedImplementation.ContractOf(type) is { } contract
                    ? new UnmarkedClassModel(TypeNames.Plain(type), TypeNames.Plain(contract))
                    : null)
            .Where(static one => one is not null)
            .Select(static (one, _) => one!);

    public static IEnumerable<IncrementalValuesProvider<EquatableArray<DiagnosticModel>>> StrayMarks(SyntaxValueProvider syntax) =>
        MarkedTypes.Marks.Skip(1).Select(mark => syntax.ForAttributeWithMetadataName(
            "Weir." + mark,
            static (node, _) => node is MethodDeclarationSyntax or InterfaceDeclarationSyntax,
            static (context, _) => context.TargetSymbol is IMethodSymbol method
                ? MisplacedAttributes.Check(context.SemanticModel.Compilation, method, context.Attributes[0])
                : ForeignParser.CheckStray(context.SemanticModel.Compilation, (INamedTypeSymbol)context.TargetSymbol, context.Attributes[0])));

    private static ParsedService? Service(GeneratorAttributeSyntaxContext context, string marker, CancellationToken cancellationToken)
    {
        var type = (INamedTypeSymbol)context.TargetSymbol;
        return type.TypeKind == TypeKind.Class && MarkedTypes.Marks.First(one => type.Weir(one) is not null) == marker
            ? ServiceParser.Parse(context.SemanticModel.Compilation, type, cancellationToken)
            : null;
    }
}
