using Microsoft.CodeAnalysis;
using Weir.Generator.Parsing.Types;
using Weir.Generator.Parsing.Validation;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Parameters marked [AsParameters], and objects marked [FromForm]: what the constructor of their type takes is bound in their place, one by one; where it
/// takes nothing, the properties that can be set.
/// </summary>
internal static class ParameterGroups
{
    /// <summary>Whether a parameter stands for those of its type's constructor.</summary>
    public static bool IsGroup(IParameterSymbol parameter) => IsMarked(parameter) || FormOf(parameter) is not null;

    /// <summary>The attribute that makes a group of a parameter, for messages.</summary>
    public static string Attribute(IParameterSymbol parameter) => IsMarked(parameter) ? "[AsParameters]" : "[FromForm]";

    /// <summary>What a method takes; in place of a group, its members.</summary>
    public static IEnumerable<ArgumentSymbol> Flat(Compilation compilation, IMethodSymbol method) =>
        method.Parameters.SelectMany(one => IsGroup(one) ? Members(compilation, one) : [ArgumentSymbol.Of(one)]);

    /// <summary>What a group binds: the parameters of its constructor, or its properties; nothing where it was refused.</summary>
    public static IEnumerable<ArgumentSymbol> Members(Compilation compilation, IParameterSymbol group)
    {
        if (TypeNames.Core(group.Type) is not INamedTypeSymbol named)
        {
            return [];
        }

        // A name there would be the prefix of the members, which is refused.
        var source = IsMarked(group) ? null : FormOf(group)! with { Name = null };

        if (Constructors(named) is { Count: > 0 } constructors)
        {
            return constructors.Count == 1 ? constructors[0].Parameters.Select(one => ArgumentSymbol.Of(one, source)) : [];
        }

        var properties = Settable(named).ToList();
        var required = string.Join(", ", properties.Where(static one => one.IsRequired).Select(static one => $"{Naming.Escape(one.Name)} = default!"));
        var create = $"new {TypeNames.ForCode(named)}() {{ {required} }}";
        return properties.Select(one => ArgumentSymbol.Of(compilation, one, create, source));
    }

    private static bool IsMarked(ISymbol symbol) => symbol.Of("Microsoft.AspNetCore.Http", "AsParametersAttribute") is not null;

    // An object of the application's own: a value, a list and a file are members of the form themselves.
    private static SourceAttribute? FormOf(IParameterSymbol parameter) =>
        TypeNames.Core(parameter.Type) is INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct } type
        && !type.IsFramework() && ListTypes.ElementOf(type) is null && ParsableTypes.Scalar(type) is null && SourceAttributes.Of(parameter) is { Source: "Form" } source
            ? source
            : null;

    private static List<IMethodSymbol> Constructors(INamedTypeSymbol type) =>
        [.. type.InstanceConstructors.Where(static one => one is { DeclaredAccessibility: Accessibility.Public, Parameters.Length: > 0 })];

    /// <summary>Whether a parameter without the mark could have it: of a method of a class, in an assembly that knows the attribute.</summary>
    public static bool CanBe(IParameterSymbol parameter) =>
        parameter.ContainingType is { TypeKind: TypeKind.Class }
        && parameter.ContainingModule.ReferencedAssemblySymbols.Any(static one => one.GetTypeByMetadataName("Microsoft.AspNetCore.Http.AsParametersAttribute") is not null)
        && !parameter.Type.IsFramework() && Refusal(parameter) is null;

    /// <summary>Why a group cannot be made; <c>null</c> where it can.</summary>
    public static string? Refusal(IParameterSymbol parameter)
    {
        var name = TypeNames.ForPeople(TypeNames.Core(parameter.Type));
        var written = Attribute(parameter);
        return parameter.Type is not INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct } type || type.IsAbstract ? $"{written} is for a class, a struct or a record, and {name} is none; remove it"
            : TypeNames.IsNullable(type) || parameter.HasExplicitDefaultValue ? $"{written} always makes it; remove its '?' and its default, and let what it contains be absent"
            : !IsMarked(parameter) && FormOf(parameter)?.Name is { } prefix ? $"its members have their own names in a form; remove Name = \"{prefix}\", or mark the members [FromForm(Name = …)]"
            : IsValidated(type) ? $"its members are bound one by one, and what validates {name} as a whole would not run; put attributes on its members, or take it from the JSON body by removing {written}"
            : parameter.GetAttributes().FirstOrDefault(ValidationRules.IsValidation) is { } own ? $"its members are bound one by one, and {Attributes.Brackets(own)} would not run; put attributes on its members"
            : Unset(type) is { } required ? $"generated code cannot set {required}; make the property and its setter public, or remove 'required'"
            : !type.IsReachable() ? $"generated code cannot access {name}; make it internal or public"
            : Constructors(type) is { Count: > 1 } ? $"{written} binds what the only public constructor of {name} takes, and it has more than one; write record {type.Name}(…) with what callers send"
            : Constructors(type) is { Count: 1 } one ? Refusal(type, one[0], written)
            : type.TypeKind == TypeKind.Class && !type.InstanceConstructors.Any(static one => one.DeclaredAccessibility == Accessibility.Public)
                ? $"{name} has no public constructor; write record {type.Name}(…) with what callers send"
            : Settable(type).FirstOrDefault() is null ? $"{name} has no property that can be set; write record {type.Name}(…) with what callers send"
            : Settable(type).FirstOrDefault(IsMarked) is { } inner ? Nested(inner, "[AsParameters]")
            : null;
    }

    private static string? Refusal(INamedTypeSymbol type, IMethodSymbol constructor, string written) =>
        constructor.Parameters.FirstOrDefault(IsGroup) is { } inner ? Nested(inner, Attribute(inner))
        : Settable(type).FirstOrDefault(one => !constructor.Parameters.Any(parameter => string.Equals(parameter.Name, one.Name, StringComparison.OrdinalIgnoreCase))) is { } property
            ? $"{written} binds what the constructor of {TypeNames.ForPeople(type)} takes, and would leave {property.Name} unset; make it a parameter of the constructor, or remove its setter"
        : Unread(type, constructor) is { } unread
            ? $"{Attributes.Brackets(unread.Attribute)} is on the property {unread.Name}, and the parameter of the constructor is bound; put it there, without 'property:'"
        : Settable(type).FirstOrDefault(static one => one.IsRequired) is { } required && constructor.Of("System.Diagnostics.CodeAnalysis", "SetsRequiredMembersAttribute") is null
            ? $"{required.Name} is required and also a parameter of the constructor; remove 'required', or mark the constructor [SetsRequiredMembers]"
        : null;

    private static string Nested(ISymbol inner, string written) => $"{written} on '{inner.Name}' is inside another one; write its members here";

    private static bool IsValidated(INamedTypeSymbol type) =>
        type.AllInterfaces.Any(static one => one.Is(ValidationRules.Annotations, "IValidatableObject"))
        || type.SelfAndBases().Any(static level => level.GetAttributes().Any(ValidationRules.IsValidation));

    // An attribute on a property that would have an effect on the parameter of the same name.
    private static (AttributeData Attribute, string Name)? Unread(INamedTypeSymbol type, IMethodSymbol constructor) => type.SelfAndBases()
        .SelectMany(static level => level.GetMembers().OfType<IPropertySymbol>())
        .Where(one => constructor.Parameters.Any(parameter => string.Equals(parameter.Name, one.Name, StringComparison.OrdinalIgnoreCase)))
        .SelectMany(static one => one.GetAttributes()
            .Where(static attribute => ValidationRules.IsValidation(attribute) || (attribute.AttributeClass is { } source && SourceAttributes.SourceOf(source) is not null))
            .Select(attribute => ((AttributeData, string)?)(attribute, one.Name)))
        .FirstOrDefault();

    private static string? Unset(INamedTypeSymbol type)
    {
        var set = Settable(type).Select(static one => one.Name).ToList();
        return type.SelfAndBases().SelectMany(static level => level.GetMembers())
            .FirstOrDefault(one => one is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true } && !set.Contains(one.Name))?.Name;
    }

    // Of properties that hide or override each other, the most derived one.
    private static IEnumerable<IPropertySymbol> Settable(INamedTypeSymbol type) => type.SelfAndBases()
        .SelectMany(static level => level.GetMembers().OfType<IPropertySymbol>())
        .Where(static one => one is { IsStatic: false, IsIndexer: false, DeclaredAccessibility: Accessibility.Public, SetMethod.DeclaredAccessibility: Accessibility.Public })
        .GroupBy(static one => one.Name).Select(static group => group.First());
}
