using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;
using Weir.Generator.Parsing;

namespace Weir.Generator.Analyzers;

/// <summary>Finds queries of Entity Framework Core that run at once: <c>db.Rows.ToList()</c>, <c>db.Rows.First()</c>, <c>foreach</c> over <c>db.Rows</c>.</summary>
internal static class BlockingQueries
{
    private const string Linq = "System.Linq";

    // What Entity Framework Core has an asynchronous form of, with Async behind the name.
    private static readonly HashSet<string> Asynchronous =
    [
        "First", "FirstOrDefault", "Single", "SingleOrDefault", "Last", "LastOrDefault", "Any", "All", "Count", "LongCount", "Sum", "Min", "Max", "Average", "Contains", "ElementAt", "ElementAtOrDefault",
        "ToList", "ToArray", "ToDictionary", "ToHashSet",
    ];

    /// <summary>Whether a compilation can have such queries.</summary>
    public static bool AreKnown(Compilation compilation) => compilation.GetTypeByMetadataName("Microsoft.EntityFrameworkCore.DbContext") is not null;

    /// <summary>What runs the query, and what to await instead; <c>null</c> where the operation runs none.</summary>
    public static (string Called, string Instead)? Find(IOperation operation) => operation switch
    {
        IForEachLoopOperation { IsAsynchronous: false } loop when IsOfDatabase(loop.Collection) => ("IQueryable.GetEnumerator", "foreach over AsAsyncEnumerable()"),
        IInvocationOperation { TargetMethod: { IsExtensionMethod: true } method, Arguments.Length: > 0 } call when Runs(method) && IsOfDatabase(call.Arguments[0].Value) =>
            ($"{method.ContainingType.Name}.{method.Name}", Asynchronous.Contains(method.Name) ? method.Name + "Async" : "ToListAsync"),
        _ => null,
    };

    // Methods that return a sequence only describe a query, those of Enumerable included: they run it while the sequence is read.
    private static bool Runs(IMethodSymbol method) =>
        (method.ContainingType.Is(Linq, "Queryable") && !IsQueryable(method.ReturnType))
        || (method.ContainingType.Is(Linq, "Enumerable") && !method.ReturnType.Is("System.Collections.Generic", "IEnumerable`1") && !method.ReturnType.Is(Linq, "IOrderedEnumerable`1"));

    // A query has the database behind it unless it began as a list: AsQueryable().
    private static bool IsOfDatabase(IOperation query)
    {
        for (var current = query; current is not null;)
        {
            switch (current)
            {
                case IConversionOperation conversion:
                    current = conversion.Operand;
                    break;
                case IInvocationOperation { TargetMethod: { IsExtensionMethod: true } method, Arguments: { Length: > 0 } arguments } when IsQueryable(method.ReturnType):
                    if (method.Name == "AsQueryable" && !IsQueryable(Unconverted(arguments[0].Value).Type))
                    {
                        return false;
                    }

                    current = arguments[0].Value;
                    break;
                case ILocalReferenceOperation { Type: var type } local when IsQueryable(type) && Initial(local) is { } initial:
                    current = initial;
                    break;
                default:
                    return IsQueryable(current.Type) && current is not IObjectCreationOperation;
            }
        }

        return false;
    }

    private static IOperation Unconverted(IOperation operation)
    {
        while (operation is IConversionOperation conversion)
        {
            operation = conversion.Operand;
        }

        return operation;
    }

    private static IOperation? Initial(ILocalReferenceOperation local) =>
        local.Local.DeclaringSyntaxReferences.Select(static one => one.GetSyntax()).OfType<VariableDeclaratorSyntax>().FirstOrDefault() is { Initializer.Value: { } value } declarator
        && declarator.SyntaxTree == local.Syntax.SyntaxTree && !value.Span.Contains(local.Syntax.Span)
            ? local.SemanticModel?.GetOperation(value)
            : null;

    private static bool IsQueryable(ITypeSymbol? type) => type is not null && (type.Is(Linq, "IQueryable") || type.AllInterfaces.Any(static one => one.Is(Linq, "IQueryable")));
}
