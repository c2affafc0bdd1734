using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Weir.Generator.Diagnostics;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Services;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Analyzers;

/// <summary>Finds operations that run on their caller's thread and call what blocks it.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class UnmarkedBlockingAnalyzer : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor Unmarked = Descriptors.Of(WeirCodes.UnmarkedBlocking);

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Unmarked];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            var calls = BlockingCalls.Load();
            var hasQueries = BlockingQueries.AreKnown(start.Compilation);
            start.RegisterSymbolStartAction(
                symbol =>
                {
                    if (symbol.Symbol is IMethodSymbol method && IsInline(symbol.Compilation, method))
                    {
                        symbol.RegisterOperationAction(operation => Check(operation, method, calls), OperationKind.Invocation, OperationKind.PropertyReference);
                        if (hasQueries)
                        {
                            symbol.RegisterOperationAction(operation => CheckQuery(operation, method), OperationKind.Invocation, OperationKind.Loop);
                        }
                    }
                },
                SymbolKind.Method);
        });
    }

    /// <summary>Whether the method is an operation that runs on its caller's thread.</summary>
    private static bool IsInline(Compilation compilation, IMethodSymbol method) =>
        method is { MethodKind: MethodKind.Ordinary or MethodKind.ExplicitInterfaceImplementation, IsStatic: false, IsAbstract: false }
        && method.ContainingType is { TypeKind: TypeKind.Class } type
        && MarkedTypes.IsServed(type)
        && type.Inherited("IsolatedAttribute") is null && method.Inherited("IsolatedAttribute") is null
        && type.Inherited("BlockingAttribute") is null && method.Inherited("BlockingAttribute") is null
        && ResultParser.ShapeOf(method).Shape != Model.MethodShape.BlockingStream
        && ServedMethods.IsOperation(compilation, method);

    private static void Check(OperationAnalysisContext context, IMethodSymbol method, BlockingCalls calls)
    {
        var (member, instance) = context.Operation switch
        {
            IInvocationOperation call => ((ISymbol)call.TargetMethod, call.Instance),
            IPropertyReferenceOperation property => (property.Property, property.Instance),
            _ => throw new InvalidOperationException(),
        };
        if (!calls.IsBlocking(member, instance?.Type, out var instead) || IsElsewhere(context.Operation) || IsPoll(context.Operation) || IsComplete(context.Operation, instance))
        {
            return;
        }

        Report(context, context.Operation.Syntax, method, $"{member.ContainingType.Name}.{member.Name}", instead);
    }

    private static void CheckQuery(OperationAnalysisContext context, IMethodSymbol method)
    {
        if (BlockingQueries.Find(context.Operation) is { } query && !IsElsewhere(context.Operation))
        {
            Report(context, context.Operation is IForEachLoopOperation loop ? loop.Collection.Syntax : context.Operation.Syntax, method, query.Called, query.Instead);
        }
    }

    private static void Report(OperationAnalysisContext context, SyntaxNode place, IMethodSymbol method, string called, string? instead)
    {
        var operation = $"{method.ContainingType.Name}.{method.ExplicitInterfaceImplementations.FirstOrDefault()?.Name ?? method.Name}";
        var fix = instead is null ? "mark it [Blocking]" : $"mark it [Blocking], or await {instead}";
        if (!ResultParser.ShapeOf(method).Shape.Equals(Model.MethodShape.Synchronous))
        {
            // [Blocking] is for synchronous methods.
            fix = instead is null ? "make it synchronous and mark it [Blocking]" : $"await {instead}";
        }

        context.ReportDiagnostic(Diagnostic.Create(Unmarked, place.GetLocation(), operation, called, fix));
    }

    // In a lambda: what calls it decides on which thread it runs.
    private static bool IsElsewhere(IOperation operation)
    {
        for (var current = operation.Parent; current is not null; current = current.Parent)
        {
            if (current is IAnonymousFunctionOperation)
            {
                return true;
            }
        }

        return false;
    }

    // Waiting for no time at all.
    private static bool IsPoll(IOperation operation) =>
        operation is IInvocationOperation call && call.Arguments.Any(static one => one.Parameter?.Name.StartsWith("milliseconds", StringComparison.Ordinal) == true && one.Value.ConstantValue is { HasValue: true, Value: 0 });

    // The result of a task that was awaited before, alone or by Task.WhenAll.
    private static bool IsComplete(IOperation operation, IOperation? instance)
    {
        var task = instance switch
        {
            ILocalReferenceOperation local => local.Local,
            IParameterReferenceOperation parameter => parameter.Parameter,
            _ => (ISymbol?)null,
        };
        if (task is null || operation is not IPropertyReferenceOperation { SemanticModel: { } model } || operation.Syntax.FirstAncestorOrSelf<MethodDeclarationSyntax>() is not { } method)
        {
            return false;
        }

        return method.DescendantNodes().OfType<AwaitExpressionSyntax>().Where(one => one.SpanStart < operation.Syntax.SpanStart)
            .SelectMany(static one => one.DescendantNodes().OfType<IdentifierNameSyntax>())
            .Any(name => name.Identifier.ValueText == task.Name && SymbolEqualityComparer.Default.Equals(model.GetSymbolInfo(name).Symbol, task));
    }
}
