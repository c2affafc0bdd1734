using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Weir.Generator.Diagnostics;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Services;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Analyzers;

/// <summary>
/// Finds parameters whose type parses its own text and does not write it, where a value from code is written as text: a contract, which has clients,
/// and an isolated operation.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class UnwrittenTextAnalyzer : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor NotWritten = Descriptors.Of(WeirCodes.TextNotWritten);

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [NotWritten];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(
            static symbol =>
            {
                var method = (IMethodSymbol)symbol.Symbol;
                if (method is { MethodKind: MethodKind.Ordinary, IsStatic: false } && IsSentFromCode(symbol.Compilation, method))
                {
                    Report(symbol, method);
                }
            },
            SymbolKind.Method);
    }

    private static bool IsSentFromCode(Compilation compilation, IMethodSymbol method) =>
        MarkedTypes.IsContract(method.ContainingType) ? method.Inherited("IgnoreOperationAttribute") is null
        : MarkedTypes.IsServed(method.ContainingType)
            && (method.Inherited("IsolatedAttribute") ?? method.ContainingType.Inherited("IsolatedAttribute")) is not null
            // The parameters of a contract are reported there.
            && ServedMethods.Contract(compilation, method.ContainingType) is null
            && ServedMethods.IsOperation(compilation, method);

    private static void Report(SymbolAnalysisContext symbol, IMethodSymbol method)
    {
        foreach (var parameter in ParameterGroups.Flat(symbol.Compilation, method))
        {
            // The body as a whole is JSON, and no text.
            var core = TypeNames.Core(parameter.Type);
            if (ParameterParser.RoleOf(parameter) == Model.ArgumentRole.Bound && parameter.Source?.Source != "Body"
                && TypeNames.Core(ListTypes.ElementOf(core) ?? core) is INamedTypeSymbol type && ScalarTypes.Find(type) is null
                && ParsableTypes.Scalar(type) is not null && !ParsableTypes.IsWritten(type))
            {
                symbol.ReportDiagnostic(Diagnostic.Create(
                    NotWritten, parameter.Symbol.Locations.FirstOrDefault(), $"{method.ContainingType.Name}.{method.Name}", parameter.Symbol.Name, TypeNames.ForPeople(type)));
            }
        }
    }
}
