using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing;

/// <summary>Recognises types by their names, so that a contract built against another framework's assemblies works too.</summary>
internal static class KnownTypes
{
    /// <summary>Whether the type is this one of the namespace.</summary>
    public static bool Is(this ITypeSymbol? type, string @namespace, string metadataName) =>
        type is { ContainingType: null } && type.MetadataName == metadataName && type.IsIn(@namespace);

    /// <summary>Whether the type's namespace is this one. Called for every attribute at every edit, so it makes no strings.</summary>
    public static bool IsIn(this ITypeSymbol type, string @namespace) => type.ContainingNamespace?.IsNamed(@namespace) == true;

    private static bool IsNamed(this INamespaceSymbol symbol, string @namespace)
    {
        var end = @namespace.Length;
        for (var current = symbol; current is { IsGlobalNamespace: false }; current = current.ContainingNamespace)
        {
            var start = end - current.Name.Length;
            if (start < 0 || string.CompareOrdinal(@namespace, start, current.Name, 0, current.Name.Length) != 0)
            {
                return false;
            }

            if (start == 0)
            {
                return current.ContainingNamespace.IsGlobalNamespace;
            }

            end = start - 1;
            if (@namespace[end] != '.')
            {
                return false;
            }
        }

        return false;
    }

    /// <summary>Whether the type's namespace is this one or one below it.</summary>
    public static bool IsBelow(this ITypeSymbol type, string @namespace)
    {
        for (var current = type.ContainingNamespace; current is { IsGlobalNamespace: false }; current = current.ContainingNamespace)
        {
            if (current.IsNamed(@namespace))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether the type is this class, derives from it, or implements this interface.</summary>
    public static bool IsOrImplements(this INamedTypeSymbol type, string @namespace, string metadataName)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            if (current.Is(@namespace, metadataName))
            {
                return true;
            }
        }

        return type.AllInterfaces.Any(one => one.Is(@namespace, metadataName));
    }

    /// <summary>Whether the type belongs to the framework: <c>System</c> and everything below.</summary>
    public static bool IsFramework(this ITypeSymbol type)
    {
        var top = type.ContainingNamespace;
        while (top is { IsGlobalNamespace: false, ContainingNamespace.IsGlobalNamespace: false })
        {
            top = top.ContainingNamespace;
        }

        return top is { Name: "System" };
    }

    /// <summary>Whether the framework or Weir itself calls the members of the interface, so that they are not operations.</summary>
    public static bool IsDuty(this ITypeSymbol type) => type.IsFramework() || type.IsWeir("IWarmUp");

    /// <summary>Whether the type is a class of Weir's contract.</summary>
    public static bool IsWeir(this ITypeSymbol? type, string name) => type.Is("Weir", name);

    /// <summary>Whether code of the same assembly can name the symbol.</summary>
    public static bool IsReachable(this ISymbol symbol)
    {
        for (var current = symbol; current is IMethodSymbol or INamedTypeSymbol; current = current.ContainingSymbol)
        {
            if (current.DeclaredAccessibility is Accessibility.Private or Accessibility.Protected or Accessibility.ProtectedAndInternal
                || current is INamedTypeSymbol { IsFileLocal: true })
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The type and its base classes, the type first, the framework's own excepted.</summary>
    public static IEnumerable<INamedTypeSymbol> SelfAndBases(this INamedTypeSymbol type)
    {
        for (var current = type; current is not null && !current.IsFramework(); current = current.BaseType)
        {
            yield return current;
        }
    }

    /// <summary>The one type argument where the type is this generic type.</summary>
    public static ITypeSymbol? ArgumentOf(this ITypeSymbol type, string @namespace, string metadataName) =>
        type is INamedTypeSymbol { TypeArguments.Length: 1 } named && named.OriginalDefinition.Is(@namespace, metadataName)
            ? named.TypeArguments[0]
            : null;
}
