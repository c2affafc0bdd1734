using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Generator.Pipeline;

/// <summary>Finds calls of <c>WeirWorker.TryRun</c>. That class is generated, so there is no symbol of it yet: it is known by its name.</summary>
internal static class EntryCalls
{
    private const string Class = "WeirWorker";
    private const string Method = "TryRun";

    /// <summary>Whether the code calls a method named <c>AddWeir</c>, which is generated as well.</summary>
    public static IncrementalValueProvider<bool> AnyAdd(SyntaxValueProvider syntax) =>
        syntax.CreateSyntaxProvider(static (node, _) => node is InvocationExpressionSyntax call && NameOf(call.Expression) == "AddWeir", static (_, _) => true)
            .Collect()
            .Select(static (calls, _) => !calls.IsEmpty);

    /// <summary>Whether the code has such a call.</summary>
    public static IncrementalValueProvider<bool> Any(SyntaxValueProvider syntax) =>
        syntax.CreateSyntaxProvider(
                static (node, _) => node is InvocationExpressionSyntax call && NameOf(call.Expression) == Method,
                static (context, cancellationToken) => IsEntryCall(context, cancellationToken))
            .Where(static isCall => isCall)
            .Collect()
            .Select(static (calls, _) => !calls.IsEmpty);

    // Without a class it is that of a 'using static', unless the compiler knows the method: then it is another one.
    private static bool IsEntryCall(GeneratorSyntaxContext context, CancellationToken cancellationToken)
    {
        var called = ((InvocationExpressionSyntax)context.Node).Expression;
        return called is MemberAccessExpressionSyntax member
            ? NameOf(member.Expression) == Class
            : context.SemanticModel.GetSymbolInfo(called, cancellationToken) is { Symbol: null, CandidateSymbols.IsEmpty: true };
    }

    private static string? NameOf(ExpressionSyntax expression) => expression switch
    {
        SimpleNameSyntax name => name.Identifier.ValueText,
        MemberAccessExpressionSyntax member => member.Name.Identifier.ValueText,
        _ => null,
    };
}
