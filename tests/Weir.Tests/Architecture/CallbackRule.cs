using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

/// <summary>
/// APIs that pass code to another thread: an unhandled exception there ends the process. The host calls them through
/// <c>Callbacks</c>, which guards the code as a whole.
/// </summary>
internal static class CallbackRule
{
    private static readonly string[] Types = ["Thread", "Timer", "PeriodicTimer"];

    // Matched by name alone: another member with such a name is renamed or gets an exception.
    private static readonly string[] Methods =
    [
        "QueueUserWorkItem", "UnsafeQueueUserWorkItem", "UnsafeQueueNativeOverlapped", "RegisterWaitForSingleObject", "UnsafeRegisterWaitForSingleObject",
        "CreateTimer", "UnsafeRegister", "UnsafeStart",
    ];

    /// <summary>The places where a file passes code to another thread without <c>Callbacks</c>.</summary>
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

    // Threads are started by the code that created them through Callbacks.
    private static bool IsRaw(string name, MemberAccessExpressionSyntax access) => name switch
    {
        "UnsafeStart" => access.Expression is ObjectCreationExpressionSyntax,
        "Register" => access.Expression.ToString().EndsWith("oken", StringComparison.Ordinal) || access.Expression.ToString().EndsWith("Aborted", StringComparison.Ordinal),
        "CreateTimer" or "UnsafeRegister" => access.Expression.ToString() != "Callbacks",
        _ => Methods.Contains(name),
    };

    private static string Last(TypeSyntax type) => type.ToString().Split('.')[^1];
}
