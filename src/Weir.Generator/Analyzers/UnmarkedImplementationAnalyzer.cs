using System.Collections.Concurrent;
using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Weir.Generator.Diagnostics;
using Weir.Generator.Parsing.Services;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Analyzers;

/// <summary>
/// Finds classes that implement a contract and are not marked, where nothing else in the project serves it: in a project that has a server or serves other
/// classes. Such a class compiles, and its operations are answered with 404.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class UnmarkedImplementationAnalyzer : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor NotServed = Descriptors.Of(WeirCodes.ContractNotServed);

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [NotServed];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            if (UnmarkedImplementation.IsTest(start.Compilation))
            {
                return;
            }

            // Bounded by the classes of the project.
            var unmarked = new ConcurrentBag<(INamedTypeSymbol Class, INamedTypeSymbol Contract)>();
            var served = new ConcurrentBag<INamedTypeSymbol>();
            start.RegisterSymbolAction(
                symbol =>
                {
                    var type = (INamedTypeSymbol)symbol.Symbol;
                    if (type.TypeKind == TypeKind.Class && MarkedTypes.IsServed(type))
                    {
                        served.Add(type);
                    }
                    else if (UnmarkedImplementation.ContractOf(type) is { } contract)
                    {
                        unmarked.Add((type, contract));
                    }
                },
                SymbolKind.NamedType);
            start.RegisterCompilationEndAction(end =>
            {
                if (unmarked.IsEmpty || (served.IsEmpty && !UnmarkedImplementation.HasServer(end.Compilation)))
                {
                    return;
                }

                var referenced = ApplicationParser.ReferencedServices(end.Compilation, end.CancellationToken).Select(static one => one.Contract).ToImmutableHashSet();
                foreach (var (type, contract) in unmarked)
                {
                    if (!served.Any(one => one.AllInterfaces.Contains(contract, SymbolEqualityComparer.Default)) && !referenced.Contains(Parsing.TypeNames.Plain(contract)))
                    {
                        end.ReportDiagnostic(Diagnostic.Create(NotServed, type.Locations.FirstOrDefault(), type.Name, contract.Name));
                    }
                }
            });
        });
    }
}
