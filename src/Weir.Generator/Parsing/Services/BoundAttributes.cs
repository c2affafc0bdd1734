using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Attributes of ASP.NET Core that have no effect, and would change what a caller may send: on parameters those that only MVC reads, and on
/// members of the types that are bound all that choose a source. They are build errors.
/// </summary>
internal sealed class BoundAttributes(Findings findings)
{
    private const string ModelBinding = "Microsoft.AspNetCore.Mvc.ModelBinding";

    private readonly HashSet<ITypeSymbol> _seen = new(SymbolEqualityComparer.Default);

    /// <summary>Checks the parameters of a method and, where callers supply them, their types.</summary>
    public void Check(IMethodSymbol method)
    {
        foreach (var parameter in ParameterGroups.Flat(findings.Compilation, method))
        {
            Check(parameter.Symbol, $"{TypeNames.ForPeople(method.ContainingType)}.{method.Name}({parameter.Name})", MvcAdvice);
            if (ParameterParser.RoleOf(parameter) == ArgumentRole.Bound)
            {
                Walk(parameter.Type);
            }
        }
    }

    private void Check(ISymbol symbol, string owner, Func<INamedTypeSymbol, string?> advise)
    {
        foreach (var attribute in symbol.GetAttributes())
        {
            if (attribute.AttributeClass is not { } type)
            {
                continue;
            }

            if (advise(type) is { } advice)
            {
                findings.Report(WeirCodes.UnsupportedAttribute, attribute.Place(symbol), owner, Attributes.Brackets(attribute), advice);
            }
        }
    }

    private void Walk(ITypeSymbol declared)
    {
        var type = TypeNames.Core(declared);
        if ((ListTypes.ElementOf(type) ?? type.ArgumentOf("System.Collections.Generic", "IAsyncEnumerable`1")) is { } element)
        {
            Walk(element);
            return;
        }

        if (type is not INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct } named || named.IsFramework() || !_seen.Add(named))
        {
            return;
        }

        foreach (var property in named.SelfAndBases().SelectMany(static level => level.GetMembers().OfType<IPropertySymbol>()))
        {
            if (property is { IsStatic: false, DeclaredAccessibility: Accessibility.Public } && !ObjectParser.IsUnread(property))
            {
                Check(property, $"{TypeNames.ForPeople(property.ContainingType)}.{property.Name}", MemberAdvice);
                Walk(property.Type);
            }
        }

        // The attributes of a record's parameters are on its constructor, unless their target is [property:].
        foreach (var parameter in named.InstanceConstructors.Where(static one => one.DeclaredAccessibility == Accessibility.Public).SelectMany(static one => one.Parameters))
        {
            Check(parameter, $"{TypeNames.ForPeople(named)}({parameter.Name})", MemberAdvice);
        }
    }

    private static string? MemberAdvice(INamedTypeSymbol type) => SourceAttributes.SourceOf(type) is not null
        ? "it is a member of a JSON object, which has one source; remove it, or take the member as a parameter of the operation"
        : MvcAdvice(type);

    private static string? MvcAdvice(INamedTypeSymbol type) => type switch
    {
        _ when SourceAttributes.SourceOf(type) is not null => null,
        _ when type.IsOrImplements(ModelBinding, "BindingBehaviorAttribute") => "only MVC reads it; take a type that has only the members that callers may send, and mark the members that they must send 'required'",
        _ when type.IsOrImplements(ModelBinding, "IBindingSourceMetadata") || type.IsOrImplements(ModelBinding, "IBinderTypeProviderMetadata") || type.IsOrImplements(ModelBinding, "IPropertyFilterProvider") =>
            "only MVC reads it; remove it, and take a type that has only the members that callers may send",
        _ => null,
    };
}
