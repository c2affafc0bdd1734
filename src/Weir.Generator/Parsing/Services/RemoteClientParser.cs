using Microsoft.CodeAnalysis;
using Weir.Generator.Emission;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>Reads contracts for the clients that call them: of the compilation itself, and of what it references.</summary>
internal static class RemoteClientParser
{
    private const string Contract = "Weir.Abstractions";

    // They reference the contract's attributes and have no contract.
    private static readonly string[] Own =
        ["Weir.AspNetCore", "Weir.Client", "Weir.Client.Extensions", "Weir.Execution", "Weir.OpenApi", "Weir.Protocol", "Weir.Worker"];

    /// <summary>Whether and how clients are written.</summary>
    public static ClientForm FormOf(Compilation compilation) =>
        compilation.GetTypeByMetadataName("Weir.Runtime.ServiceClients") is not { } clients || SymbolEqualityComparer.Default.Equals(clients.ContainingAssembly, compilation.Assembly) ? ClientForm.None
        : compilation.GetTypeByMetadataName("Weir.Runtime.GeneratedValue`1") is not null ? ClientForm.Generated
        : ClientForm.Serialized;

    /// <summary>The clients of all contracts that referenced assemblies have.</summary>
    public static IEnumerable<RemoteClientModel> OfReferences(Compilation compilation, CancellationToken cancellationToken)
    {
        foreach (var assembly in compilation.SourceModule.ReferencedAssemblySymbols)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (Own.Contains(assembly.Name) || !assembly.Modules.Any(static module => module.ReferencedAssemblies.Any(static one => one.Name == Contract)))
            {
                continue;
            }

            foreach (var type in Types(assembly.GlobalNamespace, cancellationToken))
            {
                if (Parse(compilation, type, cancellationToken) is { } client)
                {
                    yield return client;
                }
            }
        }
    }

    /// <summary>
    /// The client of one contract; <c>null</c> where it has none: it is not served over HTTP, this compilation cannot access it, or it has errors,
    /// which are reported where it is declared.
    /// </summary>
    public static RemoteClientModel? Parse(Compilation compilation, INamedTypeSymbol contract, CancellationToken cancellationToken)
    {
        if (!MarkedTypes.IsContract(contract) || !ContractRules.IsServedOverHttp(contract) || !compilation.IsSymbolAccessibleWithin(contract, compilation.Assembly))
        {
            return null;
        }

        var findings = new Findings(compilation, compilation.Assembly, isSilent: true);
        var values = new ValueParser(compilation, cancellationToken);
        var parser = new ContractParser(values, findings, cancellationToken);
        if (!ContractRules.CheckType(findings, contract))
        {
            return null;
        }

        var service = parser.Name(contract);
        var operations = parser.Parse(contract, service, ContractRules.Methods(contract));
        if (findings.Count > 0)
        {
            return null;
        }

        var methods = operations.Select(static one => OperationParser.Contract(one.Method)).ToList();
        return new RemoteClientModel(
            service,
            Naming.Identifier(TypeNames.Plain(contract)),
            TypeNames.ForCode(contract),
            operations.Select((one, index) => Operation(service, one, methods[index])).ToEquatableArray(),
            ServiceParser.OtherMethods(contract, methods).ToEquatableArray(),
            values.Types.ToEquatableArray(),
            ContractEmitter.Text(new ContractModel(
                service, TypeNames.Plain(contract), Summary: null,
                operations.Select(static one => new ContractOperationModel(one.Name, one.Signature, one.Shape, one.Method.Name, Documentation: null) { JobKind = one.Job?.Kind, JobRespond = one.Job?.Respond ?? 0 }).ToEquatableArray(),
                values.Wire.All.ToEquatableArray())));
    }

    private static RemoteOperationModel Operation(string service, DeclaredOperation declared, ContractMethodModel method)
    {
        var name = $"{service}/{declared.Name}";
        var (verbs, template) = declared.Routes.Count == 0 ? (declared.Verbs, name) : (declared.Routes[0].Verbs, declared.Routes[0].Template);
        return new RemoteOperationModel(
            name,
            Verb(verbs),
            PathParts.Of(template, declared.Parameters).ToEquatableArray(),
            declared.Parameters,
            declared.Result,
            declared.Throws,
            method,
            declared.Signature,
            declared.Resumption);
    }

    // The first of several: GET stands before the others.
    private static string Verb(string expression)
    {
        var first = expression.Split('|')[0].Trim();
        return first.Substring(first.LastIndexOf('.') + 1).ToUpperInvariant();
    }

    private static IEnumerable<INamedTypeSymbol> Types(INamespaceSymbol @namespace, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return @namespace.GetTypeMembers().SelectMany(static one => WithNested(one)).Where(static type => type.TypeKind == TypeKind.Interface)
            .Concat(@namespace.GetNamespaceMembers().SelectMany(one => Types(one, cancellationToken)));
    }

    private static IEnumerable<INamedTypeSymbol> WithNested(INamedTypeSymbol type) => type.GetTypeMembers().SelectMany(WithNested).Prepend(type);
}
