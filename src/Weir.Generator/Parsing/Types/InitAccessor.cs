using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Types;

/// <summary>Reads how generated code declares an <c>init</c> accessor, to set the property of an object that exists already.</summary>
internal static class InitAccessor
{
    /// <summary>The accessor as the type that declares it has it: the runtime looks for it nowhere else.</summary>
    /// <param name="property">Of an exchanged type; with an <c>init</c> accessor.</param>
    public static AccessorModel Of(IPropertySymbol property)
    {
        var declared = property.OriginalDefinition;
        var parameters = Parameters(property);
        return new AccessorModel(
            TypeNames.ForCode(declared.ContainingType),
            declared.ContainingType.IsValueType,
            declared.SetMethod!.MetadataName,
            TypeNames.ForCode(declared.Type),
            string.Join(", ", parameters.Select(static one => one.Name)),
            string.Concat(parameters.Select(Constraint)),
            string.Join(", ", Levels(property.ContainingType).SelectMany(static one => one.TypeArguments).Select(TypeNames.ForCode)));
    }

    /// <summary>Whether two of the type's parameters, its containing types' included, have one name: then no declaration can name both.</summary>
    public static bool IsAmbiguous(IPropertySymbol property) => Parameters(property).GroupBy(static one => one.Name).Any(static group => group.Skip(1).Any());

    private static List<ITypeParameterSymbol> Parameters(IPropertySymbol property) =>
        [.. Levels(property.OriginalDefinition.ContainingType).SelectMany(static one => one.TypeParameters)];

    // The outermost type first.
    private static IEnumerable<INamedTypeSymbol> Levels(INamedTypeSymbol? type) => type is null ? [] : Levels(type.ContainingType).Append(type);

    private static string Constraint(ITypeParameterSymbol parameter)
    {
        var kind = parameter switch
        {
            { HasUnmanagedTypeConstraint: true } => "unmanaged",
            { HasValueTypeConstraint: true } => "struct",
            { HasReferenceTypeConstraint: true } => parameter.ReferenceTypeConstraintNullableAnnotation == NullableAnnotation.Annotated ? "class?" : "class",
            { HasNotNullConstraint: true } => "notnull",
            _ => null,
        };
        var all = new[] { kind }.Concat(parameter.ConstraintTypes.Select(TypeNames.ForCode)).Append(parameter.HasConstructorConstraint ? "new()" : null).Where(static one => one is not null).ToList();
        return all.Count == 0 ? "" : $" where {parameter.Name} : {string.Join(", ", all)}";
    }
}
