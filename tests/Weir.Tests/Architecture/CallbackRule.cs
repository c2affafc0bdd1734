using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

/// <summary>
/// What hands code to another thread: an exception that leaves it there ends the process. In the host it is done through
/// <c>Callbacks</c>, which guards the code as a whole.
/// </summary>
internal static class CallbackRule
{
    private static readonly string[] Types = ["Thread", "Timer", "PeriodicTimer"];

    // By the name alone: what else has such a name gets another one, or an exception.
    private static readonly string[] Methods =
    [
        "QueueUserWorkItem", "UnsafeQueueUserWorkItem", "UnsafeQueueNativeOverlapped", "RegisterWaitForSingleObject", "UnsafeRegisterWaitForSingleObject",
        "CreateTimer", "UnsafeRegister", "UnsafeStart",
    ];

    /// <summary>Where a file hands code to another thread itself.</summary>
    public static IEnumerable<Finding> RawCallbacks(SourceFile file)
    {
        foreach (var node in file.Syntax.DescendantNodes())
        {
            switch (node)
            {
                case ObjectCreationExpressionSyntax { Type: var type } when Types.Contains(Last(type)):
                    yield return file.At(node.SpanStart, $"creates a {Last(type)}");
                    break;

                case InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.ValueText: var name } access } when IsRaw(name, access):
                    yield return file.At(node.SpanStart, $"calls {access.Expression}.{name}");
                    break;

                case MethodDeclarationSyntax { ReturnType: PredefinedTypeSyntax { Keyword.RawKind: (int)SyntaxKind.VoidKeyword } } method when method.Modifiers.Any(SyntaxKind.AsyncKeyword):
                    yield return file.At(method.Identifier, $"{method.Identifier.ValueText} is async void");
                    break;
            }
        }
    }

    // Threads are started by whoever created them through Callbacks.
    private static bool IsRaw(string name, MemberAccessExpressionSyntax access) => name switch
    {
        "UnsafeStart" => access.Expression is ObjectCreationExpressionSyntax,
        "Register" => access.Expression.ToString().EndsWith("oken", StringComparison.Ordinal) || access.Expression.ToString().EndsWith("Aborted", StringComparison.Ordinal),
        "CreateTimer" or "UnsafeRegister" => access.Expression.ToString() != "Callbacks",
        _ => Methods.Contains(name),
    };

    private static string Last(TypeSyntax type) => type.ToString().Split('.')[^1];
}
