using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Attributes of ASP.NET Core and of DataAnnotations on parameters, and on members of the types that are bound: none of them has an
/// effect yet. Those that change what a caller may send are build errors, validation is a warning.
/// </summary>
internal sealed class BoundAttributes(Findings findings)
{
    private const string Metadata = "Microsoft.AspNetCore.Http.Metadata";
    private const string ModelBinding = "Microsoft.AspNetCore.Mvc.ModelBinding";
    private const string Annotations = "System.ComponentModel.DataAnnotations";

    private readonly HashSet<ITypeSymbol> _seen = new(SymbolEqualityComparer.Default);

    /// <summary>Checks the parameters of a method and, where callers supply them, their types.</summary>
    public void Check(IMethodSymbol method)
    {
        foreach (var parameter in method.Parameters)
        {
            Check(parameter, $"{TypeNames.ForPeople(method.ContainingType)}.{method.Name}({parameter.Name})");
            if (ParameterParser.RoleOf(parameter) == ArgumentRole.Bound)
            {
                Walk(parameter.Type);
            }
        }
    }

    private void Check(ISymbol symbol, string owner)
    {
        foreach (var attribute in symbol.GetAttributes())
        {
            if (attribute.AttributeClass is not { } type)
            {
                continue;
            }

            if (Advice(type) is { } advice)
            {
                findings.Report(WeirCodes.UnsupportedAttribute, attribute.Place(symbol), owner, Attributes.Brackets(attribute), advice);
            }
            else if (type.IsOrImplements(Annotations, "ValidationAttribute"))
            {
                findings.Warn(WeirCodes.ValidationIgnored, attribute.Place(symbol), owner, Attributes.Brackets(attribute));
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

        if (named.AllInterfaces.FirstOrDefault(static one => one.Is(Annotations, "IValidatableObject")) is not null)
        {
            findings.Warn(WeirCodes.ValidationIgnored, named.Locations.FirstOrDefault(), TypeNames.ForPeople(named), "IValidatableObject");
        }

        foreach (var attribute in named.GetAttributes().Where(static one => one.AttributeClass?.IsOrImplements(Annotations, "ValidationAttribute") == true))
        {
            findings.Warn(WeirCodes.ValidationIgnored, attribute.Place(named), TypeNames.ForPeople(named), Attributes.Brackets(attribute));
        }

        foreach (var property in named.SelfAndBases().SelectMany(static level => level.GetMembers().OfType<IPropertySymbol>()))
        {
            if (property is { IsStatic: false, DeclaredAccessibility: Accessibility.Public } && !ObjectParser.IsUnread(property))
            {
                Check(property, $"{TypeNames.ForPeople(property.ContainingType)}.{property.Name}");
                Walk(property.Type);
            }
        }

        // The attributes of a record's parameters are on its constructor, unless their target is [property:].
        foreach (var parameter in named.InstanceConstructors.Where(static one => one.DeclaredAccessibility == Accessibility.Public).SelectMany(static one => one.Parameters))
        {
            Check(parameter, $"{TypeNames.ForPeople(named)}({parameter.Name})");
        }
    }

    private static string? Advice(INamedTypeSymbol type) => type switch
    {
        _ when type.IsOrImplements(Metadata, "IFromQueryMetadata") => "it is not supported yet; remove it: numbers, text and lists of them come from the query, a form, or a member of the JSON body, by the parameter's name",
        _ when type.IsOrImplements(Metadata, "IFromRouteMetadata") => "remove it, and name the parameter in the route template: [Get(\"{id}\")]",
        _ when type.IsOrImplements(Metadata, "IFromHeaderMetadata") => "it is not supported yet; take OperationContext and read the header from the HttpContext in its Transport",
        _ when type.IsOrImplements(Metadata, "IFromBodyMetadata") => "it is not supported yet; remove it: one class or record is the JSON body, and ReadOnlyMemory<byte> the body as it is",
        _ when type.IsOrImplements(Metadata, "IFromFormMetadata") => "it is not supported yet; remove it: numbers, text and lists of them are read from a form by the parameter's name",
        _ when type.IsOrImplements(Metadata, "IFromServiceMetadata") => "it is not supported yet; write [Weir.FromServices]",
        _ when type.Is("Microsoft.Extensions.DependencyInjection", "FromKeyedServicesAttribute") => "it is not supported yet; take IServiceProvider and get the keyed service from it",
        _ when type.Is("Microsoft.AspNetCore.Http", "AsParametersAttribute") => "it is not supported yet; write the members as parameters",
        _ when type.IsOrImplements(ModelBinding, "BindingBehaviorAttribute") => "only MVC reads it; take a type that has only the members that callers may send, and mark the members that they must send 'required'",
        _ when type.IsOrImplements(ModelBinding, "IBindingSourceMetadata") || type.IsOrImplements(ModelBinding, "IBinderTypeProviderMetadata") || type.IsOrImplements(ModelBinding, "IPropertyFilterProvider") =>
            "only MVC reads it; remove it, and take a type that has only the members that callers may send",
        _ => null,
    };
}
