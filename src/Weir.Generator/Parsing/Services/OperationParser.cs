using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;

namespace Weir.Generator.Parsing.Services;

/// <summary>Completes a declared operation by the class that runs it.</summary>
internal sealed class OperationParser(Compilation compilation, INamedTypeSymbol type, string service, PlacementParser placements, PolicyParser policies, Findings findings, CancellationToken cancellationToken)
{
    /// <summary>The class declares the operation itself.</summary>
    public OperationModel OfClass(DeclaredOperation declared) =>
        Complete(declared, declared.Method, declared.Method, TypeNames.ForCode(type), declared.Result, contract: null);

    /// <summary>The class implements the interface: the call goes through the interface, no matter which class declares the method.</summary>
    public OperationModel OfImplementation(DeclaredOperation declared)
    {
        var implementation = Implementation(declared.Method);
        if (implementation is not null && implementation.ContainingType.TypeKind != TypeKind.Interface)
        {
            ContractRules.CheckImplementation(findings, implementation);
            if (!SymbolEqualityComparer.Default.Equals(implementation, declared.Method))
            {
                CheckSources(implementation, servicesAllowed: false);
            }
        }

        return Complete(declared, declared.Method, implementation, TypeNames.ForCode(declared.Method.ContainingType), declared.Result, Contract(declared.Method));
    }

    /// <summary>The class serves the interface without implementing it; <c>null</c>, and reported, without a method for it.</summary>
    public OperationModel? OfBridge(INamedTypeSymbol contract, DeclaredOperation declared, IReadOnlyList<IMethodSymbol> methods)
    {
        var method = methods.FirstOrDefault(one => BridgeRules.Fits(compilation, declared.Method, one));
        if (method is null)
        {
            findings.Report(WeirCodes.ContractMismatch, type, TypeNames.ForPeople(type), TypeNames.ForPeople(contract), BridgeRules.Wanted(compilation, declared.Method));
            return null;
        }

        if (UsageErrors.Of(compilation, method.SelfAndOverridden().Last()) is { } marked)
        {
            findings.Report(WeirCodes.ServiceShape, method, $"{service}/{declared.Name}", $"it is {marked}");
            return null;
        }

        ContractRules.CheckImplementation(findings, method);
        CheckSources(method, servicesAllowed: true);
        var result = declared.Result with { Shape = ResultParser.ShapeOf(method).Shape };
        return Complete(declared, method, method, TypeNames.ForCode(type), result, Contract(declared.Method)) with { IsBridged = true };
    }

    /// <summary>No class of this assembly implements the operation: a worker in another language does.</summary>
    public OperationModel OfForeign(DeclaredOperation declared) =>
        Complete(declared, declared.Method, implementation: null, TypeNames.ForCode(type), declared.Result, Contract(declared.Method));

    /// <summary>A method of the contract that is not an operation.</summary>
    public static ContractMethodModel Contract(IMethodSymbol method) => new(
        TypeNames.ForCode(method.ContainingType),
        Naming.Escape(method.Name),
        method.IsGenericMethod ? $"<{string.Join(", ", method.TypeParameters.Select(static one => Naming.Escape(one.Name)))}>" : "",
        method.ReturnsVoid ? "void" : TypeNames.ForCode(method.ReturnType),
        ResultParser.ShapeOf(method).Shape == MethodShape.Task,
        method.Parameters.Select(Parameter).ToEquatableArray())
    {
        Constraints = string.Concat(method.TypeParameters.Where(one => method.Parameters.Select(static parameter => parameter.Type).Append(method.ReturnType).Any(type => IsAnnotated(type, one)))
            .Select(static one => one.IsValueType ? "" : $" where {Naming.Escape(one.Name)} : {(one.IsReferenceType ? "class" : "default")}")),
    };

    // Whether a type is or contains 'T?': for an explicit implementation without a constraint, that is a Nullable<T>.
    private static bool IsAnnotated(ITypeSymbol type, ITypeParameterSymbol parameter) => type switch
    {
        ITypeParameterSymbol one => one.NullableAnnotation == NullableAnnotation.Annotated && SymbolEqualityComparer.Default.Equals(one, parameter),
        IArrayTypeSymbol array => IsAnnotated(array.ElementType, parameter),
        INamedTypeSymbol named => named.TypeArguments.Any(one => IsAnnotated(one, parameter)),
        _ => false,
    };

    private OperationModel Complete(
        DeclaredOperation declared, IMethodSymbol called, IMethodSymbol? implementation, string receiver, ResultModel result, ContractMethodModel? contract)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var fullName = $"{service}/{declared.Name}";
        if (implementation is not null)
        {
            FilterParser.Check(findings, implementation, fullName);
            CheckIsAwaitable(implementation, fullName);
        }

        // The attributes of a class without a contract are checked where it is declared: here.
        if (contract is not null && implementation is not null && !SymbolEqualityComparer.Default.Equals(implementation, declared.Method))
        {
            UnsupportedAttributes.Check(findings, AttributeChain.Levels(implementation.SelfAndOverridden()));
            new BoundAttributes(findings).Check(implementation);
        }

        var (placement, pool) = placements.Parse(fullName, implementation, result, declared.Parameters.Any(static one => one.IsItems));
        ResumableRules.CheckArguments(findings, called, fullName, declared.Resumption);
        CheckHostOnly(called, fullName, placement, contract is null ? null : declared.Method.ContainingType);
        CheckJob(declared, called, fullName);
        if (placement == "Isolated" && result.IsHttp)
        {
            findings.Report(
                WeirCodes.HostOnly, called, fullName, $"its result ({TypeNames.ForPeople(called.ReturnType)})",
                "return the value, or the content as Stream, and choose the status and headers by OperationContext");
        }

        return new OperationModel(
            declared.Name,
            Naming.Identifier(declared.Name),
            receiver,
            Naming.Escape(called.Name),
            IsBridged: false,
            declared.Verbs,
            placement,
            pool,
            result,
            declared.Signature,
            declared.Parameters,
            Arguments(called, declared.Parameters),
            FilterParser.Parse(compilation, type, implementation),
            contract)
        {
            Shape = declared.Shape,
            IsIdempotent = declared.IsIdempotent,
            Resumption = declared.Resumption,
            Job = declared.Job,
            Throws = declared.Throws,
            Routes = declared.Routes,
            Declaration = MethodParser.Parse(compilation, called, implementation),
            Documentation = DocumentationParser.Parse(cancellationToken, declared.Method, implementation),
            EndpointMetadata = policies.Of(fullName, contract is null ? null : declared.Method, implementation),
        };
    }

    // Where a base class implements the interface, the served class's override of that method runs, and its attributes count.
    private IMethodSymbol? Implementation(IMethodSymbol contract) =>
        type.FindImplementationForInterfaceMember(contract) is not IMethodSymbol found
            ? null
            : type.SelfAndBases().SelectMany(level => level.GetMembers(found.Name).OfType<IMethodSymbol>())
                .FirstOrDefault(method => method.SelfAndOverridden().Contains(found, SymbolEqualityComparer.Default)) ?? found;

    // The called method's own parameters in its order; those that callers supply are in the contract's order.
    private EquatableArray<ArgumentModel> Arguments(IMethodSymbol called, EquatableArray<ParameterModel> bound)
    {
        var next = 0;
        return Taken(called.Parameters.Select(static one => ArgumentSymbol.Of(one)));

        EquatableArray<ArgumentModel> Taken(IEnumerable<ArgumentSymbol> parameters) => parameters.Select(parameter => Argument(parameter) with { Property = parameter.IsAssigned ? Naming.Escape(parameter.Name) : null }).ToList().ToEquatableArray();

        ArgumentModel Argument(ArgumentSymbol parameter) => ParameterParser.RoleOf(parameter) switch
        {
            ArgumentRole.Group => new ArgumentModel(ArgumentRole.Group, TypeNames.ForCode(parameter.Type), null) { Members = Taken(ParameterGroups.Members(compilation, (IParameterSymbol)parameter.Symbol)) },
            ArgumentRole.Bound => Supplied(bound[next++]),
            ArgumentRole.Http => new ArgumentModel(ArgumentRole.Http, HostOnlyTypes.OfRequest(parameter.Type), null),
            ArgumentRole.Caller => new ArgumentModel(ArgumentRole.Caller, parameter.Name, null),
            ArgumentRole.Service => new ArgumentModel(ArgumentRole.Service, null, Injection(parameter)),
            var role => new ArgumentModel(role, null, null),
        };
    }

    private static ArgumentModel Supplied(ParameterModel parameter) =>
        new(parameter.IsItems ? ArgumentRole.Items : ArgumentRole.Bound, parameter.Field, null);

    /// <summary>A parameter that is resolved from the services.</summary>
    public static InjectionModel Injection(IParameterSymbol parameter) => Injection(ArgumentSymbol.Of(parameter));

    private static InjectionModel Injection(ArgumentSymbol parameter) => new(
        GeneratedNames.ForCode(TypeNames.Core(parameter.Type), parameter.Symbol.ContainingType),
        GeneratedNames.ForCode(parameter.Type, parameter.Symbol.ContainingType),
        parameter.Default ?? (TypeNames.IsNullable(parameter.Type) ? "null" : null),
        SourceAttributes.All(parameter.Symbol).Where(static one => SourceAttributes.IsKeyed(one.Attribute.AttributeClass)).Select(static one => AttributeCode.FirstObject(one.Attribute)).FirstOrDefault());

    private void CheckHostOnly(IMethodSymbol called, string fullName, string placement, INamedTypeSymbol? contract)
    {
        if (placement == "Isolated")
        {
            CheckContent(called, fullName);
        }

        foreach (var parameter in ParameterGroups.Flat(compilation, called).Where(one => ParameterParser.RoleOf(one) == ArgumentRole.Http || (placement == "Isolated" && HostOnlyTypes.AttachedSource(one.Type) is not null && !HostOnlyTypes.IsContent(one.Type))))
        {
            var given = TypeNames.ForPeople(TypeNames.Core(parameter.Type));
            if (placement == "Isolated")
            {
                findings.Report(WeirCodes.HostOnly, parameter.Symbol, fullName, $"the parameter '{parameter.Name}' ({given})", HostOnlyTypes.InsteadOf(parameter.Type));
            }
            else if (contract is not null)
            {
                findings.Report(
                    WeirCodes.ParameterType, parameter.Symbol, fullName, parameter.Name,
                    $"a call of {contract.Name} from code has no {given}; take OperationContext, whose Transport is the HttpContext of a call over HTTP and null from code");
            }
        }
    }

    // A worker gets one stream of bytes beside the arguments of a call.
    private void CheckContent(IMethodSymbol called, string fullName)
    {
        var content = ParameterGroups.Flat(compilation, called).Where(static one => HostOnlyTypes.IsContent(one.Type)).ToList();
        foreach (var another in content.Skip(1))
        {
            findings.Report(
                WeirCodes.ParameterType, another.Symbol, fullName, another.Name,
                $"a worker receives one stream of bytes or files with a call, and that is '{content[0].Name}'; take all files as one IReadOnlyList<IFormFile>, which arrives file by file");
        }

        if (content.Count > 0 && HostOnlyTypes.AttachedSource(content[0].Type) == "File" && compilation.GetTypeByMetadataName("Weir.Runtime.FormFiles") is null)
        {
            findings.Report(
                WeirCodes.ParameterType, content[0].Symbol, fullName, content[0].Name,
                $"files reach a worker through Weir.AspNetCore, which {compilation.AssemblyName} does not reference; reference it, or take the content as Stream");
        }
    }

    // The contract says that it is a job, and the class that its method takes the caller.
    private void CheckJob(DeclaredOperation declared, IMethodSymbol called, string fullName)
    {
        if (declared.Job is not null && ParameterGroups.Flat(compilation, called).FirstOrDefault(static one => ParameterParser.RoleOf(one) == ArgumentRole.Caller) is { } caller)
        {
            findings.Report(WeirCodes.JobShape, caller.Symbol, fullName, JobRules.Caller(caller));
        }
    }

    // Where the values are is part of the contract.
    private void CheckSources(IMethodSymbol implementation, bool servicesAllowed)
    {
        foreach (var (parameter, source) in ParameterGroups.Flat(compilation, implementation).SelectMany(static one => SourceAttributes.All(one.Symbol).Select(source => (one, source))))
        {
            if (source.Source != SourceAttributes.Services)
            {
                findings.Report(WeirCodes.AttributePlacement, source.Attribute.Place(parameter.Symbol), Attributes.Brackets(source.Attribute), "the parameter of the interface's method");
            }
            else if (!servicesAllowed)
            {
                findings.Report(
                    WeirCodes.AttributePlacement, source.Attribute.Place(parameter.Symbol), Attributes.Brackets(source.Attribute), "a parameter of the constructor; the caller supplies this one");
            }
        }
    }

    // The compiler marks an async method by an attribute: for a method of another assembly, nothing else is known.
    private void CheckIsAwaitable(IMethodSymbol implementation, string fullName)
    {
        if (implementation.ReturnsVoid && (implementation.IsAsync || implementation.Of("System.Runtime.CompilerServices", "AsyncStateMachineAttribute") is not null))
        {
            findings.Report(WeirCodes.AsyncVoid, implementation, fullName);
        }
    }

    private static ContractParameterModel Parameter(IParameterSymbol parameter)
    {
        var modifier = parameter.RefKind switch { RefKind.Ref => "ref ", RefKind.Out => "out ", RefKind.In => "in ", _ => "" };
        var name = Naming.Escape(parameter.Name);
        return new ContractParameterModel($"{modifier}{TypeNames.ForCode(parameter.Type)} {name}", name, ParameterParser.RoleOf(parameter) == ArgumentRole.Token, ParameterParser.RoleOf(parameter) == ArgumentRole.Caller);
    }
}
