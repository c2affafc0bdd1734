using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Weir.Generator.Diagnostics;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Analyzers;

/// <summary>Finds public static methods of classes that are served by their own methods: they are not operations, which is easily overlooked.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class StaticMethodAnalyzer : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor NotServed = Descriptors.Of(WeirCodes.StaticMethodNotServed);

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [NotServed];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(
            static symbol =>
            {
                var method = (IMethodSymbol)symbol.Symbol;
                if (method is { MethodKind: MethodKind.Ordinary, IsStatic: true, DeclaredAccessibility: Accessibility.Public, IsExtensionMethod: false }
                    && MarkedTypes.IsServed(method.ContainingType)
                    && method.Weir("IgnoreOperationAttribute") is null && method.Weir("WorkerServicesAttribute") is null
                    && !ImplementsInterface(method)
                    && ServedMethods.Contract(symbol.Compilation, method.ContainingType) is null)
                {
                    symbol.ReportDiagnostic(Diagnostic.Create(NotServed, method.Locations.FirstOrDefault(), $"{method.ContainingType.Name}.{method.Name}"));
                }
            },
            SymbolKind.Method);
    }

    private static bool ImplementsInterface(IMethodSymbol method) =>
        method.ContainingType.AllInterfaces.SelectMany(one => one.GetMembers(method.Name))
            .Any(one => SymbolEqualityComparer.Default.Equals(method.ContainingType.FindImplementationForInterfaceMember(one), method));
}
