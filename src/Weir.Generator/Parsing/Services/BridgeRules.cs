using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>Matches methods of a class to those of an interface it does not implement: by name, parameters and result.</summary>
internal static class BridgeRules
{
    /// <summary>Whether a class's method can serve as a contract's: apart from tokens, contexts and services, the same parameters.</summary>
    public static bool Fits(Compilation compilation, IMethodSymbol contract, IMethodSymbol method)
    {
        if (method.Name != contract.Name || method.IsGenericMethod)
        {
            return false;
        }

        var wanted = Bound(compilation, contract).ToList();
        var given = Bound(compilation, method).ToList();
        var (wantedShape, wantedType) = ResultParser.ShapeOf(contract);
        var (givenShape, givenType) = ResultParser.ShapeOf(method);
        return wanted.Count == given.Count
            && wanted.Zip(given, static (left, right) => Same(left.Type, right.Type) && right.RefKind == RefKind.None).All(static same => same)
            && IsStream(wantedShape) == IsStream(givenShape)
            && (wantedType is null ? givenType is null : givenType is not null && Same(wantedType, givenType));
    }

    /// <summary>The method that is missing, as a person would write it.</summary>
    public static string Wanted(Compilation compilation, IMethodSymbol contract)
    {
        var (shape, type) = ResultParser.ShapeOf(contract);
        var result = type is null ? "void" : IsStream(shape) ? $"IEnumerable<{TypeNames.ForPeople(type)}>" : TypeNames.ForPeople(type);
        return $"{result} {contract.Name}({string.Join(", ", Bound(compilation, contract).Select(static one => $"{TypeNames.ForPeople(one.Type)} {one.Name}"))})";
    }

    private static IEnumerable<ArgumentSymbol> Bound(Compilation compilation, IMethodSymbol method) =>
        ParameterGroups.Flat(compilation, method).Where(static one => ParameterParser.RoleOf(one) == ArgumentRole.Bound);

    private static bool Same(ITypeSymbol left, ITypeSymbol right) => SymbolEqualityComparer.Default.Equals(left, right);

    private static bool IsStream(MethodShape shape) => shape is MethodShape.AsyncStream or MethodShape.Channel or MethodShape.BlockingStream;
}
