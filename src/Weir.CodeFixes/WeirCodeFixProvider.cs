using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;
using Microsoft.CodeAnalysis.Simplification;

namespace Weir.CodeFixes;

/// <summary>Offers what the messages of Weir's build errors and warnings say to write, where that is one change of one method.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(WeirCodeFixProvider)), Shared]
public sealed class WeirCodeFixProvider : CodeFixProvider
{
    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } =
        [WeirCodes.ParameterType, WeirCodes.UnmarkedSequence, WeirCodes.AsyncVoid, WeirCodes.UnmarkedBlocking, WeirCodes.StaticMethodNotServed];

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        foreach (var diagnostic in context.Diagnostics)
        {
            if (root?.FindNode(diagnostic.Location.SourceSpan).FirstAncestorOrSelf<MethodDeclarationSyntax>() is { } method)
            {
                foreach (var (title, change) in Fixes(diagnostic, method))
                {
                    context.RegisterCodeFix(CodeAction.Create(title, _ => Task.FromResult(Replace(context.Document, root, method, change(method))), title), diagnostic);
                }
            }
        }
    }

    private static IEnumerable<(string Title, Func<MethodDeclarationSyntax, MethodDeclarationSyntax> Change)> Fixes(Diagnostic diagnostic, MethodDeclarationSyntax method)
    {
        switch (diagnostic.Id)
        {
            case WeirCodes.UnmarkedSequence when !IsAsynchronous(method):
                yield return ("Add [Stream]", static one => WithAttribute(one, "Stream"));
                break;
            case WeirCodes.UnmarkedBlocking when !IsAsynchronous(method):
                yield return ("Add [Blocking]", static one => WithAttribute(one, "Blocking"));
                break;
            case WeirCodes.AsyncVoid:
                yield return ("Return Task", static one => one.WithReturnType(Name("System.Threading.Tasks", "Task").WithTriviaFrom(one.ReturnType)));
                break;
            case WeirCodes.StaticMethodNotServed:
                yield return ("Remove 'static'", WithoutStatic);
                yield return ("Add [IgnoreOperation]", static one => WithAttribute(one, "IgnoreOperation"));
                break;
            case WeirCodes.ParameterType when Get(method) is not null && diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture).Contains("replace [Get] by [Post]"):
                yield return ("Replace [Get] by [Post]", static one => one.ReplaceNode(Get(one)!, Post(Get(one)!)));
                break;
        }
    }

    // [Blocking] and [Stream] on an IEnumerable<T> are for synchronous methods.
    private static bool IsAsynchronous(MethodDeclarationSyntax method)
    {
        var type = (method.ReturnType as QualifiedNameSyntax)?.Right ?? method.ReturnType as SimpleNameSyntax;
        return method.Modifiers.Any(SyntaxKind.AsyncKeyword) || type?.Identifier.ValueText is "Task" or "ValueTask" or "IAsyncEnumerable" or "ChannelReader";
    }

    private static AttributeSyntax? Get(MethodDeclarationSyntax method) =>
        method.AttributeLists.SelectMany(static list => list.Attributes)
            .FirstOrDefault(static one => ((one.Name as QualifiedNameSyntax)?.Right ?? one.Name as SimpleNameSyntax)?.Identifier.ValueText is "Get" or "GetAttribute");

    private static AttributeSyntax Post(AttributeSyntax get) => get.WithName(Name("Weir", "Post").WithTriviaFrom(get.Name));

    private static MethodDeclarationSyntax WithoutStatic(MethodDeclarationSyntax method)
    {
        var modifier = method.Modifiers.First(static one => one.IsKind(SyntaxKind.StaticKeyword));
        return method.WithModifiers(method.Modifiers.Remove(modifier)).WithLeadingTrivia(method.GetLeadingTrivia());
    }

    private static MethodDeclarationSyntax WithAttribute(MethodDeclarationSyntax method, string name)
    {
        var list = SyntaxFactory.AttributeList(SyntaxFactory.SingletonSeparatedList(SyntaxFactory.Attribute(Name("Weir", name)))).WithAdditionalAnnotations(Formatter.Annotation);
        var leading = method.GetLeadingTrivia();
        return method.WithoutLeadingTrivia().WithAttributeLists(method.WithoutLeadingTrivia().AttributeLists.Insert(0, list)).WithLeadingTrivia(leading).WithAdditionalAnnotations(Formatter.Annotation);
    }

    // Shortened where the file imports the namespace.
    private static QualifiedNameSyntax Name(string @namespace, string name) =>
        SyntaxFactory.QualifiedName(SyntaxFactory.ParseName(@namespace), SyntaxFactory.IdentifierName(name)).WithAdditionalAnnotations(Simplifier.Annotation);

    private static Document Replace(Document document, SyntaxNode root, MethodDeclarationSyntax old, MethodDeclarationSyntax changed) =>
        document.WithSyntaxRoot(root.ReplaceNode(old, changed));
}
