using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>Turns one marked class into a service with its operations and the types they exchange.</summary>
internal sealed class ServiceParser
{
    private readonly Compilation _compilation;
    private readonly INamedTypeSymbol _type;
    private readonly INamedTypeSymbol? _contract;
    private readonly ValueParser _values;
    private readonly Findings _findings;
    private readonly Findings _declared;
    private readonly CancellationToken _cancellationToken;
    private IEnumerable<TypeModel> _validated = [];

    private ServiceParser(Compilation compilation, INamedTypeSymbol type, CancellationToken cancellationToken)
    {
        _compilation = compilation;
        _type = type;
        _cancellationToken = cancellationToken;
        _values = new ValueParser(compilation, cancellationToken);
        _findings = new Findings(compilation, type);
        _contract = ContractChoice.Find(type, _findings);

        // Errors of an interface of this assembly are reported where it is declared.
        _declared = _contract is null
            ? _findings
            : new Findings(compilation, type, SymbolEqualityComparer.Default.Equals(_contract.ContainingAssembly, compilation.Assembly));
    }

    /// <summary>The service of a class; without a model where the class cannot be served at all.</summary>
    public static ParsedService Parse(Compilation compilation, INamedTypeSymbol type, CancellationToken cancellationToken) =>
        new ServiceParser(compilation, type, cancellationToken).Parse();

    private ParsedService Parse()
    {
        var service = _findings.Count == 0 ? Service() : null;
        var diagnostics = ReferenceEquals(_findings, _declared) ? _findings.Diagnostics : _findings.Diagnostics.Concat(_declared.Diagnostics);
        return new ParsedService(service, service is null ? default : _values.Types.Concat(_validated).ToEquatableArray(), diagnostics.ToEquatableArray());
    }

    private ServiceModel? Service()
    {
        var constructor = ServiceShape.Constructor(_type, out var reason);
        if (constructor is null)
        {
            _findings.Report(WeirCodes.ServiceShape, _type, _type.Name, reason);
            return null;
        }

        if (Obstacle(constructor) is { } obstacle)
        {
            _findings.Report(WeirCodes.ServiceShape, _type, _type.Name, obstacle);
            return null;
        }

        if (_contract is not null && !ContractRules.CheckType(_declared, _contract))
        {
            return null;
        }

        if (_contract is not null)
        {
            ContractRules.CheckClass(_findings, _type);
        }

        PlacementParser.CheckClass(_type, _findings);
        FilterParser.Check(_findings, _type, _type.Name);
        UnsupportedAttributes.Check(_findings, AttributeChain.Levels(_type.SelfAndBases()));
        var contracts = new ContractParser(_values, _declared, _cancellationToken);
        var name = contracts.Name(_contract ?? _type);
        var policies = new PolicyParser(_compilation, _contract, _type, _findings);
        var operations = Operations(contracts, policies, name);
        _validated = contracts.ValidatedTypes;

        // An operation with an error is not in the list: without this condition its attributes would be reported as well.
        if (_findings.Count + _declared.Count == 0)
        {
            policies.CheckUnserved(_contract, _type);
        }

        var isServedOverHttp = ContractRules.IsServedOverHttp(_contract, _type);
        if (!isServedOverHttp)
        {
            policies.CheckHidden();
            if (_contract is null)
            {
                ContractRules.CheckHidden(_findings, _type);
            }
        }

        return !NameRules.IsSegment(name) ? null : new ServiceModel(
            name,
            Naming.Identifier(name),
            TypeNames.Plain(_type),
            TypeNames.ForCode(_type),
            TypeNames.Metadata(_type),
            _contract is null ? null : TypeNames.ForCode(_contract),
            _contract is null ? Client() : null,
            constructor.Parameters.Select(OperationParser.Injection).ToEquatableArray(),
            ServiceShape.IsShared(_type, constructor),
            ClientNames.Of(operations).ToEquatableArray(),
            _contract is null ? default : OtherMethods(_contract, operations).ToEquatableArray())
        {
            ContractName = _contract is null ? null : TypeNames.Plain(_contract),
            IsServedOverHttp = isServedOverHttp,
            Route = RouteParser.RouteOf(_contract ?? _type, name),
            EndpointMetadata = policies.Shared,
            Documentation = DocumentationParser.Parse(_cancellationToken, _contract, _type),
            WireTypes = _values.Wire.All.ToEquatableArray(),
            Enums = _values.Types.OfType<EnumModel>().ToEquatableArray(),
        };
    }

    // What would be an error of the compiler in generated code.
    private string? Obstacle(IMethodSymbol constructor) =>
        UsageErrors.OfType(_compilation, _type) is { } marked ? $"it is {marked}"
        : UsageErrors.Of(_compilation, constructor) is { } use ? $"its constructor is {use}"
        : constructor.Parameters.FirstOrDefault(one => UsageErrors.OfType(_compilation, one.Type) is not null) is { } parameter
            ? $"the type of its constructor's parameter '{parameter.Name}' is {UsageErrors.OfType(_compilation, parameter.Type)}"
        : _contract is null && _type.ContainingNamespace.GetTypeMembers(ClientName, 0).FirstOrDefault() is { } twin
            ? $"its client would be {TypeNames.Plain(twin)}, and there is a type of that name; rename one, or move it to another namespace"
        : null;

    private List<OperationModel> Operations(ContractParser contracts, PolicyParser policies, string name)
    {
        var parser = new OperationParser(_compilation, _type, name, new PlacementParser(_type, name, _findings), policies, _findings, _cancellationToken);
        if (_contract is null)
        {
            return contracts.Parse(_type, name, MethodRules.Public(_type)).Select(parser.OfClass).ToList();
        }

        var declared = contracts.Parse(_contract, name, ContractRules.Methods(_contract));
        if (_type.AllInterfaces.Contains(_contract, SymbolEqualityComparer.Default))
        {
            return declared.Select(parser.OfImplementation).ToList();
        }

        var methods = MethodRules.Public(_type).ToList();
        return declared.Select(one => parser.OfBridge(_contract, one, methods)).Where(static one => one is not null).Select(static one => one!).ToList();
    }

    private string ClientName => $"I{_type.Name}Client";

    private ClientModel Client() => new(
        _type.ContainingNamespace.IsGlobalNamespace ? "" : _type.ContainingNamespace.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat).Substring("global::".Length),
        ClientName,
        ServiceShape.IsPublic(_type));

    /// <summary>What the proxy must implement besides the operations.</summary>
    public static IEnumerable<ContractMethodModel> OtherMethods(INamedTypeSymbol contract, List<OperationModel> operations) =>
        OtherMethods(contract, operations.ConvertAll(static one => one.Contract!));

    /// <summary>The methods of a contract that must be implemented and are not operations.</summary>
    public static IEnumerable<ContractMethodModel> OtherMethods(INamedTypeSymbol contract, IReadOnlyCollection<ContractMethodModel> operations) =>
        contract.AllInterfaces.Append(contract).SelectMany(static one => one.GetMembers().OfType<IMethodSymbol>())
            .Where(static method => method is { MethodKind: MethodKind.Ordinary, IsStatic: false, IsAbstract: true })
            .Select(OperationParser.Contract)
            .Where(method => !operations.Any(method.Equals));
}
