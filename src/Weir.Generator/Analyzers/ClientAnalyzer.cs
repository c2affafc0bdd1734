using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Weir.Generator.Diagnostics;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Services;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Analyzers;

/// <summary>Finds requests for a client of a type that has none; where the type is a type parameter, only the running program knows.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ClientAnalyzer : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor Missing = Descriptors.Of(WeirCodes.ClientMissing);

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Missing];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(
            static operation =>
            {
                var call = (IInvocationOperation)operation.Operation;
                if (MakesClient(call.TargetMethod) && Reason(operation.Compilation, call.TargetMethod.TypeArguments[0], operation.CancellationToken) is { } reason)
                {
                    operation.ReportDiagnostic(Diagnostic.Create(Missing, call.Syntax.GetLocation(), TypeNames.ForPeople(call.TargetMethod.TypeArguments[0]), reason));
                }
            },
            OperationKind.Invocation);
    }

    private static bool MakesClient(IMethodSymbol method) =>
        method is { TypeArguments.Length: 1 }
        && ((method.Name is "Create" or "CreateJobs" && method.ContainingType.IsWeir("WeirClient"))
            || (method.Name == "AddWeirClient" && method.ContainingType.Is("Microsoft.Extensions.DependencyInjection", "WeirClientServiceCollectionExtensions")));

    // Why there is none; null where there is one, or where the build cannot know.
    private static string? Reason(Compilation compilation, ITypeSymbol type, CancellationToken cancellationToken) => type switch
    {
        { TypeKind: TypeKind.Error or TypeKind.TypeParameter } => null,
        INamedTypeSymbol contract when MarkedTypes.IsContract(contract) =>
            !ContractRules.IsServedOverHttp(contract) ? "it is not served over HTTP, because its [Service] says Http = false"
            : compilation is CSharpCompilation { LanguageVersion: < LanguageVersion.CSharp9 } ? "clients are written in C# 9; set <LangVersion>9</LangVersion> or later in this project"
            : RemoteClientParser.Parse(compilation, contract, cancellationToken) is null ? "its declaration has errors, which the build of its own project reports"
            : null,
        { TypeKind: TypeKind.Interface } => "it is not marked [Service]",
        _ => "a client implements an interface marked [Service], and this is none; declare one, and let the class serve it",
    };
}
