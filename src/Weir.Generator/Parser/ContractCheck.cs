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
        parser.Parse(contract, parser.Name(contract), ContractRules.Methods(contract));
        return findings.Diagnostics.ToEquatableArray();
    }
}
