using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>
/// Collects the attributes of a service's contract, class and methods that become endpoint metadata. The nearest attribute comes
/// last, so that it wins: contract, its method, class, its method; of each the most derived last.
/// </summary>
internal sealed class PolicyParser
{
    private readonly Compilation _compilation;
    private readonly Findings _findings;
    private readonly List<IReadOnlyList<PlacedAttribute>> _contract;
    private readonly List<IReadOnlyList<PlacedAttribute>> _class;
    private readonly List<AttributeData> _shared = [];
    private readonly HashSet<AttributeData> _seen = [];
    private readonly HashSet<ISymbol> _served = new(SymbolEqualityComparer.Default);
    private readonly List<PlacedAttribute> _ofOperations = [];

    /// <param name="compilation">The assembly that is built: its generated code constructs the attributes.</param>
    /// <param name="contract">The interface; <c>null</c> without one.</param>
    /// <param name="type">The class; <c>null</c> where workers in another language serve the interface.</param>
    /// <param name="findings">Where errors go.</param>
    public PolicyParser(Compilation compilation, INamedTypeSymbol? contract, INamedTypeSymbol? type, Findings findings)
    {
        _compilation = compilation;
        _findings = findings;
        _contract = contract is null ? [] : ContractLevels(contract).ToList();
        _class = type is null ? [] : AttributeChain.Levels(type.SelfAndBases()).ToList();
        Shared = _contract.Concat(_class).SelectMany(static level => level).Where(IsCarried).Select(one =>
        {
            _shared.Add(one.Attribute);
            return AttributeCode.Create(one.Attribute);
        }).ToList().ToEquatableArray();
    }

    /// <summary>Expressions of the attributes that every operation of the service has.</summary>
    public EquatableArray<string> Shared { get; }

    /// <summary>Expressions of an operation's metadata; empty where it has no more than the service. <c>service</c> is the service's list.</summary>
    /// <param name="operation">The operation, for messages.</param>
    /// <param name="contract">The interface's method; <c>null</c> without one.</param>
    /// <param name="implementation">The class's method; <c>null</c> without one.</param>
    public EquatableArray<string> Of(string operation, IMethodSymbol? contract, IMethodSymbol? implementation)
    {
        var isOwn = implementation is not null && !SymbolEqualityComparer.Default.Equals(contract, implementation);
        var levels = _contract
            .Concat(contract is null ? [] : AttributeChain.Levels([contract]))
            .Concat(_class)
            .Concat(isOwn ? AttributeChain.Levels(implementation!.SelfAndOverridden()) : []).ToList();
        _served.UnionWith((contract?.SelfAndOverridden() ?? []).Concat(implementation?.SelfAndOverridden() ?? []));
        CheckAnonymous(operation, levels);
        _ofOperations.AddRange(levels.SelectMany(static level => level));
        var carried = levels.SelectMany(static level => level).Where(IsCarried).Select(static one => one.Attribute).ToList();
        return carried.Count == _shared.Count
            ? default
            : carried.Select(one => _shared.IndexOf(one) is >= 0 and var index ? $"service[{index}]" : AttributeCode.Create(one)).ToEquatableArray();
    }

    /// <summary>
    /// Warns of policies on methods of the class that are not operations, and on interfaces that it implements but does not serve. Call it
    /// after all operations were parsed.
    /// </summary>
    public void CheckUnserved(INamedTypeSymbol? contract, INamedTypeSymbol type)
    {
        var others = type.AllInterfaces.Where(one => !one.IsDuty()
            && !SymbolEqualityComparer.Default.Equals(one, contract)
            && contract?.AllInterfaces.Contains(one, SymbolEqualityComparer.Default) != true);
        WarnUnserved(_findings, others.Concat(others.SelectMany(static one => one.GetMembers()))
            .Concat(type.SelfAndBases().SelectMany(static level => level.GetMembers()).Where(one => !_served.Contains(one))));
    }

    /// <summary>Warns of all policies of a service that is not served over HTTP: calls by injection pass none. Call it after all operations were parsed.</summary>
    public void CheckHidden()
    {
        foreach (var one in _ofOperations.Distinct().Where(static one => EndpointAttributes.IsPolicy(one.Attribute.AttributeClass!)))
        {
            _findings.Warn(WeirCodes.PolicyNotServed, one.Place, one.Owner, one.Brackets);
        }
    }

    /// <summary>Warns of policies on the types and methods among some symbols: none of them is served.</summary>
    public static void WarnUnserved(Findings findings, IEnumerable<ISymbol> symbols)
    {
        foreach (var one in symbols.Where(static symbol => symbol is IMethodSymbol or INamedTypeSymbol { TypeKind: TypeKind.Interface }).SelectMany(static symbol => AttributeChain.Levels([symbol])[0]))
        {
            if (EndpointAttributes.IsPolicy(one.Attribute.AttributeClass!))
            {
                findings.Warn(WeirCodes.PolicyNotServed, one.Place, one.Owner, one.Brackets);
            }
        }
    }

    // Interfaces have no order: everything that the contract inherits is one level.
    private static IEnumerable<IReadOnlyList<PlacedAttribute>> ContractLevels(INamedTypeSymbol contract)
    {
        var bases = contract.AllInterfaces.Where(static one => !one.IsDuty()).Reverse()
            .SelectMany(one => AttributeChain.Levels([contract, one])[0]).ToList();
        return [bases, AttributeChain.Levels([contract])[0]];
    }

    private bool IsCarried(PlacedAttribute placed)
    {
        var type = placed.Attribute.AttributeClass!;
        if (EndpointAttributes.IsSkipped(type) || UnsupportedAttributes.Advice(placed) is not null)
        {
            return false;
        }

        if (AttributeCode.Obstacle(_compilation, placed.Attribute) is not { } obstacle)
        {
            return true;
        }

        // An attribute of this assembly whose type is not found is the compiler's error.
        var isCompilerError = type.TypeKind == TypeKind.Error && SymbolEqualityComparer.Default.Equals(placed.Symbol.ContainingAssembly, _compilation.Assembly);
        if (_seen.Add(placed.Attribute) && !isCompilerError)
        {
            if (EndpointAttributes.IsPolicy(type))
            {
                _findings.Report(WeirCodes.PolicyNotCarried, placed.Place, placed.Owner, placed.Brackets, obstacle);
            }
            else
            {
                _findings.Warn(WeirCodes.AttributeNotCarried, placed.Place, placed.Owner, placed.Brackets, obstacle);
            }
        }

        return false;
    }

    // In ASP.NET Core [AllowAnonymous] always wins. Here it allows anonymous calls only where it is nearer than every
    // [Authorize]: a contract must not open a class that its own author protects.
    private void CheckAnonymous(string operation, List<IReadOnlyList<PlacedAttribute>> levels)
    {
        var guards = levels.FindLastIndex(static level => level.Any(static one => EndpointAttributes.IsAuthorization(one.Attribute.AttributeClass!)));
        var opens = levels.FindLastIndex(static level => level.Any(static one => EndpointAttributes.IsAnonymous(one.Attribute.AttributeClass!)));
        if (guards < 0 || opens < 0 || opens > guards)
        {
            return;
        }

        var guard = levels[guards].Last(static one => EndpointAttributes.IsAuthorization(one.Attribute.AttributeClass!));
        var anonymous = levels[opens].Last(static one => EndpointAttributes.IsAnonymous(one.Attribute.AttributeClass!));
        _findings.Report(WeirCodes.AnonymousOverridesPolicy, guard.Place, operation, guard.Brackets, guard.Owner, anonymous.Brackets, anonymous.Owner);
    }
}
