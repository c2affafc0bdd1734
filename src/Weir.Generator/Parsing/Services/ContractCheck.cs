using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Parses an interface where it is declared, once: checks it, whether a class of this assembly serves it or not, and makes it a service
/// if workers in another language serve it.
/// </summary>
internal static class ContractCheck
{
    public static ParsedContract Run(Compilation compilation, INamedTypeSymbol contract, CancellationToken cancellationToken)
    {
        var findings = new Findings(compilation, contract);
        var values = new ValueParser(compilation, cancellationToken);
        var parser = new ContractParser(values, findings, cancellationToken);
        var isContract = ContractRules.CheckType(findings, contract);
        var name = parser.Name(contract);
        var operations = parser.Parse(contract, name, ContractRules.Methods(contract));
        if (findings.Count == 0)
        {
            PolicyParser.WarnUnserved(findings, contract.GetMembers().Except(operations.Select(static one => one.Method), SymbolEqualityComparer.Default)
                .Where(static one => one is IMethodSymbol));
        }

        var foreign = contract.Weir("IsolatedAttribute") is { } isolated
            ? new ForeignParser(compilation, contract, isolated, cancellationToken).Parse(isContract && NameRules.IsSegment(name) ? name : null, operations, values.Types.Concat(parser.ValidatedTypes), values.Wire.All)
            : null;
        var text = new ContractModel(
            name, TypeNames.Plain(contract), DocumentationParser.Parse(cancellationToken, contract)?.Summary,
            operations.Select(one => new ContractOperationModel(one.Name, one.Signature, one.Shape, one.Method.Name, DocumentationParser.Parse(cancellationToken, one.Method)) { JobKind = one.Job?.Kind, JobRespond = one.Job?.Respond ?? 0 }).ToEquatableArray(),
            values.Wire.All.ToEquatableArray())
        {
            Declaring = TypeNames.Metadata(contract),
        };
        return new ParsedContract(findings.Diagnostics.ToEquatableArray(), foreign, isContract && ContractRules.IsServedOverHttp(contract) ? text : null);
    }
}
