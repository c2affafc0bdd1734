using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parser;

/// <summary>Checks an interface where it is declared, whether anybody serves it here or not.</summary>
internal static class ContractCheck
{
    public static EquatableArray<DiagnosticModel> Run(Compilation compilation, INamedTypeSymbol contract)
    {
        var findings = new Findings(compilation, contract);
        var parser = new ContractParser(new ValueParser(), findings);
        ContractRules.CheckType(findings, contract);
        var operations = parser.Parse(contract, parser.Name(contract), ContractRules.Methods(contract));
        if (findings.Count == 0)
        {
            PolicyParser.WarnUnserved(findings, contract.GetMembers().Except(operations.Select(static one => one.Method), SymbolEqualityComparer.Default)
                .Where(static one => one is IMethodSymbol));
        }

        return findings.Diagnostics.ToEquatableArray();
    }
}
