using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Turns an interface marked <c>[Service, Isolated]</c> into a service that workers in another language serve: there is no class,
/// and the options of its pool have a command.
/// </summary>
internal sealed class ForeignParser(Compilation compilation, INamedTypeSymbol contract, AttributeData isolated, CancellationToken cancellationToken)
{
    /// <summary>The service of an interface; without a model where it cannot be served. Errors of the interface itself are already reported.</summary>
    /// <param name="name">The service's name; <c>null</c> where the interface cannot be a contract.</param>
    /// <param name="declared">Its operations.</param>
    /// <param name="types">The types they exchange.</param>
    /// <param name="wireTypes">The same as the contract describes them.</param>
    public ParsedService Parse(string? name, IReadOnlyList<DeclaredOperation> declared, IEnumerable<TypeModel> types, IEnumerable<WireTypeModel> wireTypes)
    {
        var findings = new Findings(compilation, contract);
        if (!contract.IsReachable())
        {
            findings.Report(WeirCodes.ServiceShape, isolated.Place(contract), contract.Name, "generated code cannot access it; make it, and the types around it, internal or public");
        }

        if (findings.Count > 0 || name is null)
        {
            return new ParsedService(null, default, findings.Diagnostics.ToEquatableArray());
        }

        var policies = new PolicyParser(compilation, contract, type: null, findings);
        var parser = new OperationParser(compilation, contract, name, new PlacementParser(contract, name, findings), policies, findings, cancellationToken);
        var operations = declared.Select(parser.OfForeign).ToList();
        var isServedOverHttp = ContractRules.IsServedOverHttp(contract);
        if (!isServedOverHttp)
        {
            policies.CheckHidden();
        }

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
            ContractName = TypeNames.Plain(contract),
            IsForeign = true,
            IsServedOverHttp = isServedOverHttp,
            Route = RouteParser.RouteOf(contract, name),
            EndpointMetadata = policies.Shared,
            Documentation = DocumentationParser.Parse(cancellationToken, contract),
            WireTypes = wireTypes.ToEquatableArray(),
            Enums = types.OfType<EnumModel>().ToEquatableArray(),
        };
        return new ParsedService(service, types.ToEquatableArray(), findings.Diagnostics.ToEquatableArray());
    }

    /// <summary>Reports <c>[Isolated]</c> on an interface that is not a contract.</summary>
    public static EquatableArray<DiagnosticModel> CheckStray(Compilation compilation, INamedTypeSymbol type, AttributeData attribute)
    {
        if (MarkedTypes.IsContract(type))
        {
            return default;
        }

        var findings = new Findings(compilation, type);
        findings.Report(WeirCodes.AttributePlacement, attribute.Place(type), Attributes.Brackets(attribute), $"a service: {type.Name} is not marked [Service]");
        return findings.Diagnostics.ToEquatableArray();
    }
}
