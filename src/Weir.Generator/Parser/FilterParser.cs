using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parser;

/// <summary>Finds filter attributes and writes the expressions that make them again.</summary>
internal static class FilterParser
{
    /// <summary>The filters of a class and of its method, base declarations first.</summary>
    public static EquatableArray<string> Parse(INamedTypeSymbol type, IMethodSymbol? method) =>
        Levels(type.SelfAndBases()).Concat(Levels(method?.SelfAndOverridden() ?? []))
            .Where(static one => one.AttributeClass!.IsReachable()).Select(Create).ToEquatableArray();

    /// <summary>A symbol's own filters.</summary>
    public static IEnumerable<AttributeData> Own(ISymbol symbol) =>
        symbol.GetAttributes().Where(static attribute => IsFilter(attribute.AttributeClass));

    /// <summary>Reports filters of a symbol that generated code cannot make.</summary>
    public static void Check(Findings findings, ISymbol symbol, string subject)
    {
        foreach (var filter in Own(symbol).Where(static one => !one.AttributeClass!.IsReachable()))
        {
            findings.Report(
                WeirCodes.ServiceShape, filter.Place(symbol), subject,
                $"generated code cannot reach its filter {ContractRules.Brackets(filter)}; make it, and the types around it, internal or public");
        }
    }

    private static IEnumerable<AttributeData> Levels(IEnumerable<ISymbol> levels) =>
        levels.SelectMany(static (symbol, level) => Own(symbol).Where(attribute => level == 0 || IsInherited(attribute.AttributeClass!))
            .Select(attribute => (Level: level, Attribute: attribute)))
            .OrderByDescending(static one => one.Level)
            .Select(static one => one.Attribute);

    private static bool IsFilter(INamedTypeSymbol? type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            if (current.IsWeir("OperationFilterAttribute"))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsInherited(INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            if (current.Of("System", "AttributeUsageAttribute") is { } usage)
            {
                return usage.Named("Inherited") is not false;
            }
        }

        return true;
    }

    private static string Create(AttributeData attribute)
    {
        var arguments = string.Join(", ", attribute.ConstructorArguments.Select(Constant));
        var properties = string.Join(", ", attribute.NamedArguments.Select(static one => $"{Naming.Escape(one.Key)} = {Constant(one.Value)}"));
        return $"new {TypeNames.ForCode(attribute.AttributeClass!)}({arguments})" + (properties.Length == 0 ? "" : $" {{ {properties} }}");
    }

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
            : TypeNames.Core(type));
}
