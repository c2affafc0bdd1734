using Microsoft.CodeAnalysis;
using Weir.Generator.Emission;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Types;
using Weir.Generator.Parsing.Validation;

namespace Weir.Generator.Parsing.Services;

/// <summary>Reads what callers see of a service: names, verbs, parameters and results of an interface, or of a class without one.</summary>
internal sealed class ContractParser(ValueParser values, Findings findings, CancellationToken cancellationToken)
{
    private readonly BoundAttributes _bound = new(findings);
    private readonly ValidationParser _validation = new(findings.Compilation, findings, cancellationToken);

    /// <summary>The types found so far whose values are validated.</summary>
    public IEnumerable<TypeModel> ValidatedTypes => _validation.Types;

    /// <summary>The service's name: the explicit one, otherwise the type's, without the <c>I</c> of an interface.</summary>
    public string Name(INamedTypeSymbol type)
    {
        var attribute = type.Weir("ServiceAttribute");
        var isPrefixed = type is { TypeKind: TypeKind.Interface, Name.Length: > 1 } && type.Name[0] == 'I' && char.IsUpper(type.Name[1]);
        var name = attribute?.Text() ?? (isPrefixed ? type.Name.Substring(1) : type.Name);
        if (!NameRules.IsSegment(name))
        {
            findings.Report(WeirCodes.InvalidName, attribute?.Place(type) ?? type.Locations.FirstOrDefault(), name, $"the service {type.Name}", "[Service(\"…\")]");
        }

        return name;
    }

    /// <summary>The operations; one with an error is reported and left out.</summary>
    public IReadOnlyList<DeclaredOperation> Parse(INamedTypeSymbol type, string service, IEnumerable<IMethodSymbol> methods)
    {
        var operations = new List<DeclaredOperation>();
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        var routes = new RouteParser(findings, RouteParser.RouteOf(type, service));
        VerbParser.CheckType(findings, type);
        foreach (var method in methods.Where(static one => one.Inherited("IgnoreOperationAttribute") is null))
        {
            cancellationToken.ThrowIfCancellationRequested();
            var attribute = method.Inherited("OperationAttribute");
            var name = attribute?.Text() ?? method.Name;
            if (!NameRules.IsSegment(name))
            {
                findings.Report(WeirCodes.InvalidName, attribute?.Place(method) ?? method.Locations.FirstOrDefault(), name, $"the operation {service}/{method.Name}", "[Operation(\"…\")]");
            }
            else if (!names.Add(name))
            {
                findings.Report(WeirCodes.DuplicateOperation, method, service, name);
            }
            else if (Declare(type, method, $"{service}/{name}", name, routes) is { } operation)
            {
                operations.Add(operation);
            }
        }

        return operations;
    }

    private DeclaredOperation? Declare(INamedTypeSymbol type, IMethodSymbol method, string fullName, string name, RouteParser routes)
    {
        if (method.IsGenericMethod)
        {
            findings.Report(WeirCodes.ServiceShape, method, fullName, "it is generic, and callers cannot pass type arguments; remove its type parameters, or hide it with [IgnoreOperation]");
            return null;
        }

        // The compiler reads the attribute of the method that is overridden.
        if (UsageErrors.Of(findings.Compilation, method.SelfAndOverridden().Last()) is { } marked)
        {
            findings.Report(WeirCodes.ServiceShape, method, fullName, $"it is {marked}, or hide it with [IgnoreOperation]");
            return null;
        }

        if (type.TypeKind == TypeKind.Interface && !ContractRules.CheckMethod(findings, method, fullName))
        {
            return null;
        }

        UnsupportedAttributes.Check(findings, AttributeChain.Levels(method.SelfAndOverridden()));
        _bound.Check(method);
        var result = new ResultParser(values, findings).Parse(fullName, method);
        if (MediaTypeRules.Parse(findings, method, result) is { } mediaType)
        {
            result = result! with { MediaType = mediaType };
        }

        if (result is { IsHttp: true } && type.TypeKind == TypeKind.Interface)
        {
            findings.Report(
                WeirCodes.ResultType, method, fullName, $"{TypeNames.ForPeople(method.ReturnType)} writes an HTTP response, and callers of an interface have none; return the value, and choose the status by OperationContext.StatusCode");
        }

        var verbs = VerbParser.Of(type, method);
        var parameters = new ParameterParser(values, _validation, findings).Parse(fullName, method, acceptsGet: verbs.Any(static verb => verb.Name == "Get"));
        var throws = new ThrowsParser(findings).Parse(fullName, method);
        if (result is null || parameters is null || throws is null)
        {
            return null;
        }

        var served = routes.Of(method, fullName, name, verbs, parameters.Value);
        var isIdempotent = method.Inherited("IdempotentAttribute") is not null;
        var verbExpression = DeclaredVerb.Expression(verbs);
        var operation = new DeclaredOperation(method, name, verbExpression, result, parameters.Value, isIdempotent, throws.Value, served);
        var resumption = ResumableRules.Parse(findings, operation, fullName, verbs);
        var shape = ContractEmitter.Shape(new OperationRoutes(served, verbExpression, fullName), parameters.Value, result, isIdempotent, resumption, throws.Value);
        var exchanged = parameters.Value.Select(static one => one.Value.Wire).Concat(result.Value is { } value ? [value.Wire] : []);
        return operation with
        {
            Resumption = resumption,
            Job = JobRules.Parse(findings, operation, fullName, verbs),
            Shape = shape,
            Signature = ContractEmitter.Signature(fullName, shape, values.Wire.UsedBy(exchanged)),
        };
    }
}
