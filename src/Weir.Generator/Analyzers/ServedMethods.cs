using Microsoft.CodeAnalysis;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Services;

namespace Weir.Generator.Analyzers;

/// <summary>Finds out which methods of a served class are operations.</summary>
internal static class ServedMethods
{
    /// <summary>Whether a method of a marked class is an operation: a public one, or where the class serves an interface, one that runs for a method of it.</summary>
    public static bool IsOperation(Compilation compilation, IMethodSymbol method)
    {
        var type = method.ContainingType;
        if (Contract(compilation, type) is not { } contract)
        {
            return IsPublic(type, method) && method.Inherited("IgnoreOperationAttribute") is null;
        }

        var isImplemented = type.AllInterfaces.Contains(contract, SymbolEqualityComparer.Default);
        return ContractRules.Methods(contract).Where(static one => one.Inherited("IgnoreOperationAttribute") is null).Any(one => isImplemented
            ? method.SelfAndOverridden().Contains(type.FindImplementationForInterfaceMember(one), SymbolEqualityComparer.Default)
            : IsPublic(type, method) && BridgeRules.Fits(compilation, one, method));
    }

    /// <summary>The interface that a marked class serves; <c>null</c> where it is its own contract.</summary>
    public static INamedTypeSymbol? Contract(Compilation compilation, INamedTypeSymbol type) =>
        ContractChoice.Find(type, new Findings(compilation, type, isSilent: true));

    private static bool IsPublic(INamedTypeSymbol type, IMethodSymbol method) => MethodRules.Public(type).Contains(method, SymbolEqualityComparer.Default);
}
