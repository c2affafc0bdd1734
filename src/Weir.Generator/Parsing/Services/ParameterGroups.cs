using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Parameters marked [AsParameters]: what the constructor of their type takes is bound in their place, one by one; where it takes nothing, the
/// properties that can be set.
/// </summary>
internal static class ParameterGroups
{
    /// <summary>Whether a parameter stands for those of its type's constructor.</summary>
    public static bool IsGroup(ISymbol parameter) => parameter.Of("Microsoft.AspNetCore.Http", "AsParametersAttribute") is not null;

    /// <summary>What a method takes; in place of a group, its members.</summary>
    public static IEnumerable<ArgumentSymbol> Flat(Compilation compilation, IMethodSymbol method) =>
        method.Parameters.SelectMany(one => IsGroup(one) ? Members(compilation, one.Type) : [ArgumentSymbol.Of(one)]);

    /// <summary>What a group binds: the parameters of its constructor, or its properties; nothing where it was refused.</summary>
    public static IEnumerable<ArgumentSymbol> Members(Compilation compilation, ITypeSymbol type)
    {
        if (TypeNames.Core(type) is not INamedTypeSymbol named)
        {
            return [];
        }

        if (Constructors(named) is { Count: > 0 } constructors)
        {
            return constructors.Count == 1 ? constructors[0].Parameters.Select(ArgumentSymbol.Of) : [];
        }

        var properties = Settable(named).ToList();
        var required = string.Join(", ", properties.Where(static one => one.IsRequired).Select(static one => $"{Naming.Escape(one.Name)} = default!"));
        var create = $"new {TypeNames.ForCode(named)}() {{ {required} }}";
        return properties.Select(one => ArgumentSymbol.Of(compilation, one, create));
    }

    private static List<IMethodSymbol> Constructors(INamedTypeSymbol type) =>
        [.. type.InstanceConstructors.Where(static one => one is { DeclaredAccessibility: Accessibility.Public, Parameters.Length: > 0 })];

    /// <summary>Why a group cannot be made; <c>null</c> where it can.</summary>
    public static string? Refusal(IParameterSymbol parameter)
    {
        var name = TypeNames.ForPeople(TypeNames.Core(parameter.Type));
        return parameter.Type is not INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct } type || type.IsAbstract ? $"[AsParameters] is for a class, a struct or a record, and {name} is none; remove it"
            : TypeNames.IsNullable(type) || parameter.HasExplicitDefaultValue ? "[AsParameters] always makes it; remove its '?' and its default, and let what it contains be absent"
            : !type.IsReachable() ? $"generated code cannot access {name}; make it internal or public"
            : Constructors(type) is { Count: > 1 } ? $"[AsParameters] binds what the only public constructor of {name} takes, and it has more than one; write record {type.Name}(…) with what callers send"
            : Constructors(type) is { Count: 1 } one ? Refusal(type, one[0], name)
            : type.TypeKind == TypeKind.Class && !type.InstanceConstructors.Any(static one => one.DeclaredAccessibility == Accessibility.Public)
                ? $"{name} has no public constructor; write record {type.Name}(…) with what callers send"
            : Settable(type).FirstOrDefault() is null ? $"{name} has no property that can be set; write record {type.Name}(…) with what callers send"
            : Settable(type).FirstOrDefault(IsGroup) is { } inner ? Nested(inner)
            : null;
    }

    private static string? Refusal(INamedTypeSymbol type, IMethodSymbol constructor, string name) =>
        constructor.Parameters.FirstOrDefault(IsGroup) is { } inner ? Nested(inner)
        : Settable(type).FirstOrDefault(one => !constructor.Parameters.Any(parameter => string.Equals(parameter.Name, one.Name, StringComparison.OrdinalIgnoreCase))) is { } property
            ? $"[AsParameters] binds what the constructor of {name} takes, and would leave {property.Name} unset; make it a parameter of the constructor, or remove its setter"
        : null;

    private static string Nested(ISymbol inner) => $"[AsParameters] on '{inner.Name}' is inside another one; write its members here";

    // Of properties that hide or override each other, the most derived one.
    private static IEnumerable<IPropertySymbol> Settable(INamedTypeSymbol type) => type.SelfAndBases()
        .SelectMany(static level => level.GetMembers().OfType<IPropertySymbol>())
        .Where(static one => one is { IsStatic: false, IsIndexer: false, DeclaredAccessibility: Accessibility.Public, SetMethod.DeclaredAccessibility: Accessibility.Public })
        .GroupBy(static one => one.Name).Select(static group => group.First());
}
