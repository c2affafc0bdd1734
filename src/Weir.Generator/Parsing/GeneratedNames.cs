using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Generator.Parsing;

/// <summary>
/// The names of generated interfaces, which the compiler does not know yet while this generator runs: a class may take <c>I{Class}Client</c> of its own assembly, or <c>IJobs&lt;I{Class}Client&gt;</c>.
/// </summary>
internal static class GeneratedNames
{
    /// <summary>A type as code writes it, with the namespaces of generated interfaces in it.</summary>
    /// <param name="type">As declared.</param>
    /// <param name="user">The class that names it.</param>
    public static string ForCode(ITypeSymbol type, INamedTypeSymbol user) => type switch
    {
        IErrorTypeSymbol { Arity: 0, ContainingType: null } unknown when ServiceOf(unknown.Name, user) is { } service =>
            (service.ContainingNamespace.IsGlobalNamespace ? $"global::{unknown.Name}" : $"{service.ContainingNamespace.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat)}.{unknown.Name}")
            + (type.NullableAnnotation == NullableAnnotation.Annotated ? "?" : ""),
        INamedTypeSymbol { TypeKind: not TypeKind.Error, IsGenericType: true, ContainingType: null } generic when generic.TypeArguments.Any(static one => one.TypeKind == TypeKind.Error) =>
            $"{generic.ConstructUnboundGenericType().ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat).Split('<')[0]}<{string.Join(", ", generic.TypeArguments.Select(one => ForCode(one, user)))}>"
            + (type.NullableAnnotation == NullableAnnotation.Annotated ? "?" : ""),
        _ => TypeNames.ForCode(type),
    };

    // The class whose client has this name, as the file of its user finds it: in the user's namespaces, or in those it uses.
    private static INamedTypeSymbol? ServiceOf(string client, INamedTypeSymbol user)
    {
        if (!client.StartsWith("I", StringComparison.Ordinal) || !client.EndsWith("Client", StringComparison.Ordinal) || client.Length <= "IClient".Length)
        {
            return null;
        }

        var name = client.Substring(1, client.Length - "IClient".Length);
        for (var space = user.ContainingNamespace; space is not null; space = space.ContainingNamespace)
        {
            if (space.GetTypeMembers(name).FirstOrDefault() is { } near)
            {
                return near;
            }
        }

        return user.DeclaringSyntaxReferences
            .SelectMany(static one => one.SyntaxTree.GetRoot().DescendantNodes().OfType<UsingDirectiveSyntax>())
            .Where(static one => one.Alias is null && one.Name is not null)
            .Select(one => Find(user.ContainingAssembly.GlobalNamespace, one.Name!.ToString())?.GetTypeMembers(name).FirstOrDefault())
            .FirstOrDefault(static one => one is not null);
    }

    private static INamespaceSymbol? Find(INamespaceSymbol root, string name)
    {
        INamespaceSymbol? space = root;
        foreach (var part in name.Replace("global::", "").Split('.'))
        {
            space = space?.GetNamespaceMembers().FirstOrDefault(one => one.Name == part);
        }

        return space;
    }
}
