using Microsoft.CodeAnalysis;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>Writes the expression that constructs an attribute again in generated code, and reports where that is impossible.</summary>
internal static class AttributeCode
{
    /// <summary>The construction: constructor arguments as the compiler bound them, then named arguments as an initializer.</summary>
    public static string Create(AttributeData attribute)
    {
        var parameters = attribute.AttributeConstructor?.Parameters;
        var arguments = string.Join(", ", attribute.ConstructorArguments.Select((one, index) => Argument(one, parameters?[index].Type)));
        var properties = string.Join(", ", attribute.NamedArguments.Select(static one => $"{Naming.Escape(one.Key)} = {Constant(one.Value)}"));
        return $"new {TypeNames.ForCode(attribute.AttributeClass!)}({arguments})" + (properties.Length == 0 ? "" : $" {{ {properties} }}");
    }

    /// <summary>An attribute's first constructor argument, boxed; <c>null</c> where there is none or it is null.</summary>
    public static string? FirstObject(AttributeData attribute) =>
        attribute.ConstructorArguments.Length > 0 && attribute.ConstructorArguments[0] is { IsNull: false } first ? $"(object)({Constant(first)})" : null;

    /// <summary>The attribute as it is written at a declaration, in brackets.</summary>
    public static string Declare(AttributeData attribute)
    {
        var parameters = attribute.AttributeConstructor?.Parameters;
        var arguments = attribute.ConstructorArguments.Select((one, index) => Argument(one, parameters?[index].Type))
            .Concat(attribute.NamedArguments.Select(static one => $"{Naming.Escape(one.Key)} = {Constant(one.Value)}"));
        return $"[{TypeNames.ForCode(attribute.AttributeClass!)}({string.Join(", ", arguments)})]";
    }

    /// <summary>Why generated code of an assembly cannot construct the attribute; <c>null</c> where it can.</summary>
    public static string? Obstacle(Compilation compilation, AttributeData attribute)
    {
        if (attribute is not { AttributeClass: { TypeKind: not TypeKind.Error } type, AttributeConstructor: { } constructor })
        {
            return "its type is not found; reference the assembly that declares it";
        }

        if (!IsAccessible(compilation, type) || !compilation.IsSymbolAccessibleWithin(constructor, compilation.Assembly))
        {
            return "generated code cannot access it; make it, its constructor and the types around it internal or public, and public where it comes from another assembly";
        }

        foreach (var constant in attribute.ConstructorArguments.Concat(attribute.NamedArguments.Select(static one => one.Value)))
        {
            if (Hidden(compilation, constant) is { } hidden)
            {
                return $"generated code cannot access its argument {hidden}; make that type internal or public, and public where it comes from another assembly";
            }
        }

        return null;
    }

    // Without the cast, another constructor could be chosen than the one that takes an object.
    private static string Argument(TypedConstant constant, ITypeSymbol? parameter) =>
        parameter?.SpecialType == SpecialType.System_Object && !constant.IsNull ? $"(object)({Constant(constant)})" : Constant(constant);

    private static string Constant(TypedConstant constant) => constant switch
    {
        { IsNull: true } => constant.Type is { } type ? $"({TypeNames.ForCode(TypeNames.Core(type))})null!" : "null!",
        { Kind: TypedConstantKind.Array } => $"new {TypeNames.ForCode(constant.Type!)} {{ {string.Join(", ", constant.Values.Select(Constant))} }}",
        { Kind: TypedConstantKind.Type } => $"typeof({Unbound((ITypeSymbol)constant.Value!)})",
        { Kind: TypedConstantKind.Enum } => $"({TypeNames.ForCode(constant.Type!)})({DefaultValues.Literal(constant.Value!)})",
        { Value: byte or sbyte or short or ushort } => $"({TypeNames.ForCode(constant.Type!)})({DefaultValues.Literal(constant.Value)})",
        _ => DefaultValues.Literal(constant.Value!) ?? "default",
    };

    private static string Unbound(ITypeSymbol type) =>
        TypeNames.ForCode(type is INamedTypeSymbol { IsUnboundGenericType: false, IsGenericType: true, IsDefinition: true } named
            ? named.ConstructUnboundGenericType()
            : type.WithNullableAnnotation(NullableAnnotation.NotAnnotated));

    private static string? Hidden(Compilation compilation, TypedConstant constant) => constant switch
    {
        { Kind: TypedConstantKind.Error } => "whose type is not found",
        { Type: { } type } when !IsAccessible(compilation, type) => TypeNames.ForPeople(type),
        { IsNull: true } => null,
        { Kind: TypedConstantKind.Array } => constant.Values.Select(one => Hidden(compilation, one)).FirstOrDefault(static one => one is not null),
        { Kind: TypedConstantKind.Type, Value: ITypeSymbol type } when !IsAccessible(compilation, type) => TypeNames.ForPeople(type),
        _ => null,
    };

    private static bool IsAccessible(Compilation compilation, ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => IsAccessible(compilation, array.ElementType),
        IPointerTypeSymbol pointer => IsAccessible(compilation, pointer.PointedAtType),
        INamedTypeSymbol named => named.TypeKind != TypeKind.Error
            && compilation.IsSymbolAccessibleWithin(named.OriginalDefinition, compilation.Assembly)
            && !IsFileLocal(named)
            && (named.IsUnboundGenericType || named.TypeArguments.All(one => one.TypeKind == TypeKind.TypeParameter || IsAccessible(compilation, one)))
            && (named.ContainingType is not { } container || IsAccessible(compilation, container)),
        _ => true,
    };

    private static bool IsFileLocal(INamedTypeSymbol type) => type.IsFileLocal || (type.ContainingType is { } container && IsFileLocal(container));
}
