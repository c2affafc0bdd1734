using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>Which methods of a class are operations.</summary>
internal static class MethodRules
{
    /// <summary>The public methods of a class, inherited ones too, each once; the most derived one of an override.</summary>
    public static IEnumerable<IMethodSymbol> Public(INamedTypeSymbol type)
    {
        var methods = new List<IMethodSymbol>();
        foreach (var method in type.SelfAndBases().SelectMany(static level => level.GetMembers().OfType<IMethodSymbol>()))
        {
            if (IsCallable(method) && !IsDuty(type, method) && !methods.Any(derived => Hides(derived, method)))
            {
                methods.Add(method);
            }
        }

        // Base classes were visited last; the result begins with the base class, each class in order of declaration.
        return methods.GroupBy<IMethodSymbol, INamedTypeSymbol>(static method => method.ContainingType, SymbolEqualityComparer.Default)
            .Reverse().SelectMany(static level => level);
    }

    private static bool IsCallable(IMethodSymbol method) =>
        method is { MethodKind: MethodKind.Ordinary, IsStatic: false, IsImplicitlyDeclared: false, DeclaredAccessibility: Accessibility.Public };

    // ToString, Equals and GetHashCode, Dispose and DisposeAsync, WarmUpAsync: only the framework or Weir calls them.
    private static bool IsDuty(INamedTypeSymbol type, IMethodSymbol method) =>
        method.SelfAndOverridden().Any(static one => one.ContainingType.IsFramework())
        || type.AllInterfaces.Where(static one => one.IsDuty())
            .SelectMany(static one => one.GetMembers().OfType<IMethodSymbol>())
            .Any(duty => SymbolEqualityComparer.Default.Equals(type.FindImplementationForInterfaceMember(duty), method));

    private static bool Hides(IMethodSymbol derived, IMethodSymbol method) =>
        derived.Name == method.Name
        && derived.Parameters.Length == method.Parameters.Length
        && derived.Parameters.Zip(method.Parameters, static (left, right) => SymbolEqualityComparer.Default.Equals(left.Type, right.Type)).All(static same => same);
}
