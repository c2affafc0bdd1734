using Microsoft.CodeAnalysis;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>Finds the interface that a class serves.</summary>
internal static class ContractChoice
{
    /// <summary>The named interface, otherwise the marked one among its bases; <c>null</c> where the class is its own contract.</summary>
    public static INamedTypeSymbol? Find(INamedTypeSymbol type, Findings findings)
    {
        var attribute = type.Weir("ServiceAttribute");
        if (attribute?.Type() is { } named)
        {
            if (MarkedTypes.IsContract(named))
            {
                return named;
            }

            findings.Report(WeirCodes.ServiceShape, attribute.Place(type), type.Name, $"{named.Name} is not an interface marked [Service]; mark it, or name an interface that is");
            return null;
        }

        var marked = type.AllInterfaces.Where(MarkedTypes.IsContract).ToList();
        var contracts = marked.FindAll(one => !marked.Any(other => other.AllInterfaces.Contains(one, SymbolEqualityComparer.Default)));
        if (contracts.Count > 1)
        {
            var names = string.Join(" and ", contracts.Select(static one => one.Name));
            findings.Report(
                WeirCodes.ServiceShape, type, type.Name,
                $"it implements {names}, and a class serves one contract; choose it with [Service(typeof({contracts[0].Name}))]");
            return null;
        }

        if (contracts.Count == 1)
        {
            if (attribute?.Text() is not null)
            {
                findings.Report(WeirCodes.AttributePlacement, attribute.Place(type), "A name in [Service]", $"the interface {contracts[0].Name}");
            }

            return contracts[0];
        }

        if (attribute is null)
        {
            var marker = (type.Weir("IsolatedAttribute") ?? type.Weir("BlockingAttribute"))!;
            findings.Report(
                WeirCodes.AttributePlacement, marker.Place(type), Attributes.Brackets(marker),
                $"a service: {type.Name} is not marked [Service] and implements no interface that is");
        }

        return null;
    }
}
