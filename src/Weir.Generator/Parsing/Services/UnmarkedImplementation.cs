using Microsoft.CodeAnalysis;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Recognises a class that looks as if it served a contract and has no mark, so that nothing serves it. What implements a contract for another reason is
/// left alone: decorators, fakes of tests, private helpers.
/// </summary>
internal static class UnmarkedImplementation
{
    private static readonly string[] TestFrameworks = ["xunit.core", "xunit.v3.core", "nunit.framework", "Microsoft.VisualStudio.TestPlatform.TestFramework", "MSTest.TestFramework", "TUnit.Core"];

    /// <summary>The contract that a class implements and does not serve; <c>null</c> where it serves it, or is not meant to.</summary>
    public static INamedTypeSymbol? ContractOf(INamedTypeSymbol type) =>
        type is { TypeKind: TypeKind.Class, IsAbstract: false, IsStatic: false, IsImplicitlyDeclared: false } && IsVisible(type)
        && type.AllInterfaces.FirstOrDefault(static one => MarkedTypes.IsContract(one) && one.Weir("IsolatedAttribute") is null) is { } contract
        && !type.SelfAndBases().Any(MarkedTypes.IsServed)
        && !type.InstanceConstructors.SelectMany(static one => one.Parameters).Any(one => Names(one.Type, contract))
        && !IsSuppressed(type)
            ? contract
            : null;

    /// <summary>Whether classes of a compilation are meant to be served: it has a server, or is no test.</summary>
    public static bool IsTest(Compilation compilation) => compilation.ReferencedAssemblyNames.Any(static one => TestFrameworks.Contains(one.Name));

    /// <summary>Whether a compilation has a server of its own.</summary>
    public static bool HasServer(Compilation compilation) => compilation.ReferencedAssemblyNames.Any(static one => one.Name == "Weir.AspNetCore");

    private static bool IsVisible(INamedTypeSymbol type)
    {
        for (var one = type; one is not null; one = one.ContainingType)
        {
            if (one.IsFileLocal || one.DeclaredAccessibility is not (Accessibility.Public or Accessibility.Internal))
            {
                return false;
            }
        }

        return true;
    }

    // What is made from another implementation passes calls on: IOrders, Func<IOrders>, a class that implements it.
    private static bool Names(ITypeSymbol type, INamedTypeSymbol contract) =>
        SymbolEqualityComparer.Default.Equals(type, contract)
        || type.AllInterfaces.Contains(contract, SymbolEqualityComparer.Default)
        || (type is INamedTypeSymbol named && named.TypeArguments.Any(one => Names(one, contract)))
        || (type is IArrayTypeSymbol array && Names(array.ElementType, contract));

    private static bool IsSuppressed(INamedTypeSymbol type) =>
        type.GetAttributes().Any(static one => one.AttributeClass.Is("System.Diagnostics.CodeAnalysis", "SuppressMessageAttribute")
            && one.ConstructorArguments.Length > 1 && one.ConstructorArguments[1].Value is string id && id.StartsWith(WeirCodes.ContractNotServed, StringComparison.Ordinal));
}
