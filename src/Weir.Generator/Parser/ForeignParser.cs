using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parser;

/// <summary>
/// Turns an interface marked <c>[Service, Isolated]</c> into a service that workers in another language serve: there is no class,
/// and its pool is given a command.
/// </summary>
internal static class ForeignParser
{
    /// <summary>The service of an interface; <c>null</c> for one that a class serves.</summary>
    public static ParsedService? Parse(Compilation compilation, INamedTypeSymbol contract)
    {
        if (contract.Weir("IsolatedAttribute") is not { } isolated)
        {
            return null;
        }

        // What is wrong with the interface itself is reported by who checks every contract.
        var values = new ValueParser();
        var declared = new Findings(compilation, contract, isSilent: true);
        var findings = new Findings(compilation, contract);
        var contracts = new ContractParser(values, declared);
        var name = contracts.Name(contract);
        if (!contract.IsReachable())
        {
            findings.Report(WeirCodes.ServiceShape, isolated.Place(contract), contract.Name, "generated code cannot reach it; make it, and the types around it, internal or public");
        }

        if (findings.Count > 0 || !ContractRules.CheckType(declared, contract) || !NameRules.IsSegment(name))
        {
            return new ParsedService(null, default, findings.Diagnostics.ToEquatableArray());
        }

        var policies = new PolicyParser(compilation, contract, type: null, findings);
        var parser = new OperationParser(contract, name, new PlacementParser(contract, name, findings), policies, findings);
        var operations = contracts.Parse(contract, name, ContractRules.Methods(contract)).Select(parser.OfForeign).ToList();
        var service = new ServiceModel(
            name,
            Naming.Identifier(name),
            TypeNames.Plain(contract),
            TypeNames.ForCode(contract),
            TypeNames.Metadata(contract),
            TypeNames.ForCode(contract),
            Client: null,
            Constructor: default,
            IsShared: true,
            ClientNames.Of(operations).ToEquatableArray(),
            ServiceParser.OtherMethods(contract, operations).ToEquatableArray())
        {
            IsForeign = true,
            EndpointMetadata = policies.Shared,
        };
        return new ParsedService(service, values.Types.ToEquatableArray(), findings.Diagnostics.ToEquatableArray());
    }

    /// <summary>Reports <c>[Isolated]</c> on an interface that is no contract.</summary>
    public static EquatableArray<DiagnosticModel> CheckStray(Compilation compilation, INamedTypeSymbol type, AttributeData attribute)
    {
        if (MarkedTypes.IsContract(type))
        {
            return default;
        }

        var findings = new Findings(compilation, type);
        findings.Report(WeirCodes.AttributePlacement, attribute.Place(type), ContractRules.Brackets(attribute), $"a service: {type.Name} is not marked [Service]");
        return findings.Diagnostics.ToEquatableArray();
    }
}
