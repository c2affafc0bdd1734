using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>Parameters marked [AsParameters]: what the constructor of their type takes is bound in their place, one by one.</summary>
internal static class ParameterGroups
{
    /// <summary>Whether a parameter stands for those of its type's constructor.</summary>
    public static bool IsGroup(IParameterSymbol parameter) => parameter.Of("Microsoft.AspNetCore.Http", "AsParametersAttribute") is not null;

    /// <summary>The parameters of a method; in place of a group, those of its constructor.</summary>
    public static IEnumerable<IParameterSymbol> Flat(IMethodSymbol method) =>
        method.Parameters.SelectMany(static one => IsGroup(one) ? Constructor(one.Type)?.Parameters.AsEnumerable() ?? [] : [one]);

    /// <summary>The only public constructor that takes anything; <c>null</c> where there is none, or more than one.</summary>
    public static IMethodSymbol? Constructor(ITypeSymbol type)
    {
        var constructors = (TypeNames.Core(type) as INamedTypeSymbol)?.InstanceConstructors
            .Where(static one => one is { DeclaredAccessibility: Accessibility.Public, Parameters.Length: > 0 }).ToList();
        return constructors?.Count == 1 ? constructors[0] : null;
    }

    /// <summary>Why a group cannot be made; <c>null</c> where it can.</summary>
    public static string? Refusal(IParameterSymbol parameter)
    {
        var name = TypeNames.ForPeople(TypeNames.Core(parameter.Type));
        return parameter.Type is not INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct } type || type.IsAbstract ? $"[AsParameters] is for a class, a struct or a record, and {name} is none; remove it"
            : TypeNames.IsNullable(type) || parameter.HasExplicitDefaultValue ? "[AsParameters] always makes it; remove its '?' and its default, and let what it contains be absent"
            : !type.IsReachable() ? $"generated code cannot access {name}; make it internal or public"
            : Constructor(type) is not { } constructor
                ? $"[AsParameters] binds what the only public constructor of {name} takes, and it has none with parameters, or more than one; write record {type.Name}(…) with what callers send"
            : constructor.Parameters.FirstOrDefault(IsGroup) is { } inner ? $"[AsParameters] on '{inner.Name}' is inside another one; write its members here"
            : Settable(type, constructor) is { } property ? $"[AsParameters] binds what the constructor of {name} takes, and would leave {property} unset; make it a parameter of the constructor, or remove its setter"
            : null;
    }

    private static string? Settable(INamedTypeSymbol type, IMethodSymbol constructor) => type.SelfAndBases()
        .SelectMany(static level => level.GetMembers().OfType<IPropertySymbol>())
        .FirstOrDefault(one => one is { IsStatic: false, DeclaredAccessibility: Accessibility.Public, SetMethod.DeclaredAccessibility: Accessibility.Public }
            && !constructor.Parameters.Any(parameter => string.Equals(parameter.Name, one.Name, StringComparison.OrdinalIgnoreCase)))?.Name;
}
