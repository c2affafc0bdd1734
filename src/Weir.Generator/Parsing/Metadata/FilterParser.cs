using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>Finds filter attributes and writes the expressions that construct them again.</summary>
internal static class FilterParser
{
    /// <summary>The filters of a class and of its method, base declarations first.</summary>
    public static EquatableArray<string> Parse(Compilation compilation, INamedTypeSymbol type, IMethodSymbol? method) =>
        AttributeChain.Levels(type.SelfAndBases()).Concat(AttributeChain.Levels(method?.SelfAndOverridden() ?? []))
            .SelectMany(static level => level).Select(static one => one.Attribute)
            .Where(one => IsFilter(one.AttributeClass) && AttributeCode.Obstacle(compilation, one) is null).Select(AttributeCode.Create).ToEquatableArray();

    /// <summary>A symbol's own filters.</summary>
    public static IEnumerable<AttributeData> Own(ISymbol symbol) =>
        symbol.GetAttributes().Where(static attribute => IsFilter(attribute.AttributeClass));

    /// <summary>Reports filters of a symbol that generated code cannot construct.</summary>
    public static void Check(Findings findings, ISymbol symbol, string subject)
    {
        foreach (var filter in Own(symbol).Where(static one => !one.ConstructorArguments.Any(static argument => argument.Kind == TypedConstantKind.Error)))
        {
            if (AttributeCode.Obstacle(findings.Compilation, filter) is { } obstacle)
            {
                findings.Report(WeirCodes.ServiceShape, filter.Place(symbol), subject, $"its filter {Attributes.Brackets(filter)} cannot be created: {obstacle}");
            }
        }
    }

    /// <summary>Whether the attribute is a filter of Weir.</summary>
    public static bool IsFilter(INamedTypeSymbol? type)
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
}
