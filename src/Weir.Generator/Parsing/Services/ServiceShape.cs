using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>Whether generated code can make instances of a service class, and how often.</summary>
internal static class ServiceShape
{
    /// <summary>The constructor to call; <c>null</c>, with the reason, when there is none.</summary>
    public static IMethodSymbol? Constructor(INamedTypeSymbol type, out string reason)
    {
        reason = Refusal(type) ?? "";
        if (reason.Length > 0)
        {
            return null;
        }

        var open = type.InstanceConstructors.Where(static one => one.DeclaredAccessibility == Accessibility.Public).ToList();
        if (open.Count == 0)
        {
            open = type.InstanceConstructors.Where(static one => one.DeclaredAccessibility is Accessibility.Internal or Accessibility.ProtectedOrInternal).ToList();
        }

        reason = open.Count switch
        {
            0 => "it has no public constructor; add one",
            1 => Refusal(type, open[0]) ?? "",
            _ => "it has more than one public constructor, and Weir does not guess which one to call; keep one",
        };
        return reason.Length == 0 ? open[0] : null;
    }

    /// <summary>Whether one instance serves all calls: no constructor parameters, no instance fields anywhere, and nothing to dispose after a call.</summary>
    public static bool IsShared(INamedTypeSymbol type, IMethodSymbol constructor) =>
        constructor.Parameters.IsEmpty
        && !type.AllInterfaces.Any(static one => one.SpecialType == SpecialType.System_IDisposable || one.Is("System", "IAsyncDisposable"))
        && Bases(type).All(level => level.SpecialType == SpecialType.System_Object || HasNoState(level, type));

    /// <summary>Whether code outside the assembly can see the class.</summary>
    public static bool IsPublic(INamedTypeSymbol type) => Containers(type).All(static one => one.DeclaredAccessibility == Accessibility.Public);

    private static string? Refusal(INamedTypeSymbol type) => type switch
    {
        { IsStatic: true } => "it is static, and calls need an instance; remove 'static'",
        { IsAbstract: true } => "it is abstract; mark the class that derives from it",
        { Arity: > 0 } => "it is generic, and a path names one service; derive a class that is not generic from it, and mark that class",
        { IsFileLocal: true } => "it is local to its file, and generated code is in another file; make it internal",
        _ when Containers(type).Skip(1).Any(static one => one.IsGenericType) => "it is nested in a generic class; move it out",
        _ when !type.IsReachable() =>
            "generated code cannot access it; make it, and the types around it, internal or public",
        _ => null,
    };

    private static string? Refusal(INamedTypeSymbol type, IMethodSymbol constructor)
    {
        foreach (var parameter in constructor.Parameters)
        {
            if (parameter.RefKind is not (RefKind.None or RefKind.In))
            {
                return $"its constructor takes '{parameter.Name}' by reference, which dependency injection cannot supply; pass it by value";
            }
        }

        return RequiredMember(type, constructor) is { } required
            ? $"its member '{required}' is required, and dependency injection supplies constructor parameters only; make it a constructor parameter"
            : null;
    }

    // Private fields of another assembly's class are not visible here: the class is assumed to have some.
    private static bool HasNoState(INamedTypeSymbol level, INamedTypeSymbol type) =>
        SymbolEqualityComparer.Default.Equals(level.ContainingAssembly, type.ContainingAssembly)
        && !level.GetMembers().Any(static member => member
            is IFieldSymbol { IsStatic: false, IsConst: false }
            or IEventSymbol { IsStatic: false, IsAbstract: false, AddMethod.IsImplicitlyDeclared: true });

    private static string? RequiredMember(INamedTypeSymbol type, IMethodSymbol constructor) =>
        constructor.Of("System.Diagnostics.CodeAnalysis", "SetsRequiredMembersAttribute") is not null
            ? null
            : Bases(type).SelectMany(static level => level.GetMembers())
                .FirstOrDefault(static member => member is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true })?.Name;

    private static IEnumerable<INamedTypeSymbol> Bases(INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            yield return current;
        }
    }

    private static IEnumerable<INamedTypeSymbol> Containers(INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.ContainingType)
        {
            yield return current;
        }
    }
}
