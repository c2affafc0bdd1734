namespace Weir.Generator.Model;

/// <summary>One operation.</summary>
/// <param name="Name">In paths.</param>
/// <param name="Identifier">In generated code.</param>
/// <param name="Receiver">The type through which the method is called.</param>
/// <param name="Method">The method's name.</param>
/// <param name="IsBridged">Whether a class is called that does not implement its contract.</param>
/// <param name="Verbs">An expression.</param>
/// <param name="Placement">The name of a value of <c>Weir.Placement</c>.</param>
/// <param name="Pool">The pool of an isolated operation.</param>
/// <param name="Result">What it returns.</param>
/// <param name="Signature">The hash of what callers send and receive.</param>
/// <param name="Parameters">The parameters that callers supply.</param>
/// <param name="Arguments">What the method takes, in order.</param>
/// <param name="Filters">Expressions that make its filters, the class's first.</param>
/// <param name="Contract">The interface's method it serves; <c>null</c> without an interface.</param>
internal sealed record OperationModel(
    string Name,
    string Identifier,
    string Receiver,
    string Method,
    bool IsBridged,
    string Verbs,
    string Placement,
    string? Pool,
    ResultModel Result,
    ulong Signature,
    EquatableArray<ParameterModel> Parameters,
    EquatableArray<ArgumentModel> Arguments,
    EquatableArray<string> Filters,
    ContractMethodModel? Contract)
{
    /// <summary>The method of the generated interface.</summary>
    public string ClientMethod { get; init; } = Name;

    /// <summary>What callers send and receive, as the contract has it.</summary>
    public string Shape { get; init; } = "";

    /// <summary>Whether the method takes no token: a context has one, and so does the enumeration of a stream.</summary>
    public bool IgnoresCancellation => !UsesContext && !Result.IsStream && Items is null && Taken.All(static argument => argument.Role != ArgumentRole.Token);

    /// <summary>Whether running it twice does no harm.</summary>
    public bool IsIdempotent { get; init; }

    /// <summary>The name of a value of <c>Weir.Resumption</c>.</summary>
    public string Resumption { get; init; } = "None";

    /// <summary>How its calls run as jobs; <c>null</c> where they are none.</summary>
    public JobModel? Job { get; init; }

    /// <summary>The exceptions it declares.</summary>
    public EquatableArray<ThrowsModel> Throws { get; init; }

    /// <summary>Where it is served; empty for <c>Service/Operation</c>.</summary>
    public EquatableArray<RouteModel> Routes { get; init; }

    /// <summary>Expressions of its endpoint metadata, the nearest attribute last; empty where it has no more than the service.</summary>
    public EquatableArray<string> EndpointMetadata { get; init; }

    /// <summary>The method as endpoint filters see it.</summary>
    public MethodModel? Declaration { get; init; }

    /// <summary>What the documentation comment of its method says; <c>null</c> without one.</summary>
    public DocumentationModel? Documentation { get; init; }

    /// <summary>The parameter whose items arrive while the operation runs; <c>null</c> for most operations.</summary>
    public ParameterModel? Items => Parameters.FirstOrDefault(static parameter => parameter.IsItems);

    /// <summary>The parameter that arrives piece by piece in a worker: bytes of any length, or files of a form; <c>null</c> for most operations.</summary>
    public ParameterModel? Content => Placement == "Isolated" ? Parameters.FirstOrDefault(static parameter => parameter.IsAttached) : null;

    /// <summary>Whether arguments have validation attributes, or are of types that have them.</summary>
    public bool HasValidation => Parameters.Any(static parameter => parameter.Validation is not null);

    /// <summary>What the method takes, in order; in place of a group, what its constructor takes.</summary>
    public IEnumerable<ArgumentModel> Taken => Arguments.SelectMany(static one => one.Role == ArgumentRole.Group ? one.Members.AsEnumerable() : [one]);

    public bool UsesContext => Taken.Any(static argument => argument.Role is ArgumentRole.Context or ArgumentRole.Service or ArgumentRole.Http or ArgumentRole.Caller);

    /// <summary>Whether it takes who makes the call, or the context, which has that.</summary>
    public bool UsesCaller => Taken.Any(static argument => argument.Role is ArgumentRole.Context or ArgumentRole.Caller);

    /// <summary>Whether only a request over HTTP can call it: then clients for code do not have it.</summary>
    public bool IsHttpOnly => Result.IsHttp || Taken.Any(static argument => argument.Role == ArgumentRole.Http);

    /// <summary>What it exchanges as JSON: its parameters, items and result.</summary>
    public IEnumerable<ValueModel> Values =>
        Parameters.Where(static one => one.IsValue || one.IsItems).Select(static one => one.Value).Concat(Result.Value is { } result ? [result] : []);
}

/// <summary>A method as it is declared, with what is written at it.</summary>
/// <param name="Name">Its name, escaped where it is a keyword.</param>
/// <param name="ReturnType">In generated code.</param>
/// <param name="Attributes">Its attributes, each in brackets.</param>
/// <param name="Parameters">Its parameters with type, name, default and attributes, in order.</param>
internal sealed record MethodModel(string Name, string ReturnType, EquatableArray<string> Attributes, EquatableArray<string> Parameters);

/// <summary>An exception that callers may catch by its own type.</summary>
/// <param name="Type">In generated code.</param>
/// <param name="Name">As the runtime names it.</param>
/// <param name="Status">The HTTP status of a call that ends with it; 0 for that of any exception.</param>
internal sealed record ThrowsModel(string Type, string Name, int Status);

/// <summary>A method of an interface, for the proxy that implements it.</summary>
/// <param name="Interface">Where it is declared.</param>
/// <param name="Method">Its name.</param>
/// <param name="TypeParameters">Its type parameters, with brackets; empty for most.</param>
/// <param name="ReturnType">As declared.</param>
/// <param name="IsTask">Whether it returns a <c>Task</c>, where the invoker returns a <c>ValueTask</c>.</param>
/// <param name="Parameters">All parameters, in order.</param>
internal sealed record ContractMethodModel(
    string Interface,
    string Method,
    string TypeParameters,
    string ReturnType,
    bool IsTask,
    EquatableArray<ContractParameterModel> Parameters)
{
    /// <summary>The constraints that an implementation must write, because its signature has <c>T?</c>; empty for most.</summary>
    public string Constraints { get; init; } = "";
}

/// <summary>A parameter of an interface's method.</summary>
/// <param name="Declaration">Its modifiers, type and name.</param>
/// <param name="Name">Its name, escaped where it is a keyword.</param>
/// <param name="IsToken">Whether it is the cancellation token.</param>
/// <param name="IsCaller">Whether it is who makes the call.</param>
internal sealed record ContractParameterModel(string Declaration, string Name, bool IsToken, bool IsCaller);
