using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Validation;

namespace Weir.Generator.Parsing.Services;

/// <summary>What an interface may declare, and what belongs on its class.</summary>
internal static class ContractRules
{
    private static readonly string[] ClassAttributes = ["IsolatedAttribute", "BlockingAttribute"];

    private static readonly string[] ContractAttributes =
    [
        .. VerbParser.Attributes, "StreamAttribute", "OperationAttribute", "IgnoreOperationAttribute", "IdempotentAttribute", "ThrowsAttribute", "ResumableAttribute", "JobAttribute", "ScheduleAttribute", "MediaTypeAttribute",
    ];

    /// <summary>The methods of an interface and of those it inherits, its own last; without those that the framework or Weir calls.</summary>
    public static IEnumerable<IMethodSymbol> Methods(INamedTypeSymbol contract) =>
        contract.AllInterfaces.Reverse().Append(contract).Where(static one => !one.IsDuty())
            .SelectMany(static one => one.GetMembers().OfType<IMethodSymbol>())
            .Where(static method => method is { MethodKind: MethodKind.Ordinary, IsStatic: false, DeclaredAccessibility: Accessibility.Public });

    /// <summary>Whether an interface can be a contract as a whole; reports why not.</summary>
    public static bool CheckType(Findings findings, INamedTypeSymbol contract)
    {
        var before = findings.Count;
        if (contract.IsGenericType)
        {
            findings.Report(WeirCodes.ServiceShape, contract, contract.Name, "it is generic, and a path names one service; declare one interface for each type");
        }

        if (UsageErrors.OfType(findings.Compilation, contract) is { } marked)
        {
            findings.Report(WeirCodes.ServiceShape, contract, contract.Name, $"it is {marked}");
        }

        foreach (var member in contract.AllInterfaces.Append(contract).Where(static one => !one.IsDuty()).SelectMany(static one => one.GetMembers()))
        {
            if (member is IPropertySymbol { IsStatic: false } or IEventSymbol { IsStatic: false } or { IsStatic: true, IsAbstract: true, Kind: not SymbolKind.NamedType })
            {
                findings.Report(WeirCodes.ServiceShape, member, contract.Name, $"{member.Name} is not an instance method; a contract may have instance methods only");
            }
        }

        UnsupportedAttributes.Check(findings, contract.AllInterfaces.Append(contract).Where(static one => !one.IsDuty()).SelectMany(static one => AttributeChain.Levels([one])));
        foreach (var filter in FilterParser.Own(contract))
        {
            findings.Report(WeirCodes.AttributePlacement, filter.Place(contract), Attributes.Brackets(filter), "the class that serves it");
        }

        if (!IsServedOverHttp(contract))
        {
            CheckHidden(findings, contract);
        }

        return findings.Count == before;
    }

    /// <summary>Whether a method of an interface may be an operation; reports why not.</summary>
    public static bool CheckMethod(Findings findings, IMethodSymbol method, string fullName)
    {
        var before = findings.Count;
        foreach (var attribute in method.GetAttributes().Where(static one => IsWeir(one, ClassAttributes)).Concat(FilterParser.Own(method)))
        {
            findings.Report(WeirCodes.AttributePlacement, attribute.Place(method), Attributes.Brackets(attribute), "the method of the class that serves it");
        }

        foreach (var parameter in method.Parameters.Where(ParameterGroups.IsGroup))
        {
            findings.Report(WeirCodes.ParameterType, parameter, fullName, parameter.Name, $"{ParameterGroups.Attribute(parameter)} is for methods of classes; write what it contains as parameters of the interface's method");
        }

        foreach (var parameter in method.Parameters.Where(static one => ParameterParser.RoleOf(one) is ArgumentRole.Context or ArgumentRole.Service or ArgumentRole.Http))
        {
            findings.Report(
                WeirCodes.ParameterType, parameter, fullName, parameter.Name,
                "callers of an interface cannot supply it; take it in the class's constructor, or serve the interface by a class marked [Service(typeof(…))]");
        }

        var (shape, type) = ResultParser.ShapeOf(method);
        if (shape is MethodShape.Synchronous or MethodShape.BlockingStream or MethodShape.Channel)
        {
            findings.Report(WeirCodes.SynchronousContract, method, fullName, TypeNames.ForPeople(method.ReturnType), Asynchronous(shape, type));
        }

        return findings.Count == before;
    }

    /// <summary>Whether the attributes of a class and of its contract let it be served over HTTP.</summary>
    public static bool IsServedOverHttp(params INamedTypeSymbol?[] types) => types.All(static one => one?.Weir("ServiceAttribute")?.Named("Http") is not false);

    /// <summary>Reports verbs of a service that is not served over HTTP.</summary>
    public static void CheckHidden(Findings findings, INamedTypeSymbol declaring)
    {
        var members = declaring.TypeKind == TypeKind.Interface ? Methods(declaring) : MethodRules.Public(declaring);
        RefuseRoute(findings, declaring, "a service that is served over HTTP");
        foreach (var symbol in members.Prepend<ISymbol>(declaring))
        {
            Refuse(findings, symbol, VerbParser.Attributes, "a service that is served over HTTP");
        }
    }

    /// <summary>Reports attributes on a class's method that its contract's method should carry.</summary>
    public static void CheckImplementation(Findings findings, IMethodSymbol implementation)
    {
        Refuse(findings, implementation, ContractAttributes, "the method of the interface");
        MediaTypeRules.RefuseOnImplementation(findings, implementation);
        foreach (var parameter in implementation.Parameters)
        {
            foreach (var attribute in parameter.GetAttributes().Where(ValidationRules.IsValidation))
            {
                findings.Report(WeirCodes.AttributePlacement, attribute.Place(parameter), Attributes.Brackets(attribute), "the parameter of the interface's method");
            }
        }
    }

    /// <summary>Reports attributes on a class that its contract should carry.</summary>
    public static void CheckClass(Findings findings, INamedTypeSymbol type)
    {
        Refuse(findings, type, VerbParser.Attributes, "the interface that the class serves");
        RefuseRoute(findings, type, "the interface that the class serves");
    }

    private static void RefuseRoute(Findings findings, INamedTypeSymbol type, string where)
    {
        if (type.Weir("ServiceAttribute") is { } attribute && attribute.Named("Route") is not null)
        {
            findings.Report(WeirCodes.AttributePlacement, attribute.Place(type), "Route in [Service]", where);
        }
    }

    private static void Refuse(Findings findings, ISymbol symbol, string[] names, string where)
    {
        foreach (var attribute in symbol.GetAttributes().Where(one => IsWeir(one, names)))
        {
            findings.Report(WeirCodes.AttributePlacement, attribute.Place(symbol), Attributes.Brackets(attribute), where);
        }
    }

    private static bool IsWeir(AttributeData attribute, string[] names) => names.Any(name => attribute.AttributeClass.IsWeir(name));

    private static string Asynchronous(MethodShape shape, ITypeSymbol? type) =>
        shape != MethodShape.Synchronous
            ? $"IAsyncEnumerable<{TypeNames.ForPeople(type!)}>"
            : type is null ? "ValueTask" : $"ValueTask<{TypeNames.ForPeople(type)}>";
}
