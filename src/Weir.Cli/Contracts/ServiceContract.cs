namespace Weir.Cli.Contracts;

/// <summary>What callers send to a service and receive from it.</summary>
/// <param name="Name">The service's name.</param>
/// <param name="Summary">What its documentation says.</param>
/// <param name="Operations">Its operations.</param>
/// <param name="Types">The types that they exchange, by their names.</param>
/// <param name="Json">All of it, as it was read.</param>
internal sealed record ServiceContract(string Name, string? Summary, IReadOnlyList<OperationContract> Operations, IReadOnlyDictionary<string, TypeContract> Types, string Json)
{
    /// <summary>What its paths begin with where it is served: several where <c>MapWeir</c> maps it several times, and then the paths are those of the first one.</summary>
    public IReadOnlyList<string> Prefixes { get; init; } = [""];

    /// <summary>Whether calls of one of its operations can be jobs.</summary>
    public bool HasJobs => Operations.Any(static one => one.Job is not null);
}

/// <summary>One operation.</summary>
/// <param name="Name">In paths.</param>
/// <param name="Routes">Where it is served.</param>
/// <param name="Parameters">What callers supply.</param>
/// <param name="ResultKind">How it answers: <c>none</c>, <c>value</c>, <c>stream</c> …</param>
/// <param name="ResultType">The type of the value or item; <c>null</c> for none.</param>
internal sealed record OperationContract(string Name, IReadOnlyList<RouteContract> Routes, IReadOnlyList<ParameterContract> Parameters, string ResultKind, string? ResultType)
{
    /// <summary>How a cut stream is resumed: <c>source</c> or <c>buffer</c>; <c>null</c> where it is not.</summary>
    public string? Resumable { get; init; }

    /// <summary>The media type of a result that is bytes; <c>null</c> where none is declared.</summary>
    public string? MediaType { get; init; }

    /// <summary>The name of the kind of its jobs; <c>null</c> where its calls cannot be jobs.</summary>
    public string? Job { get; init; }

    /// <summary>What its documentation says.</summary>
    public string? Summary { get; init; }

    /// <summary>What its documentation says about the result.</summary>
    public string? Returns { get; init; }
}

/// <summary>One path of an operation.</summary>
/// <param name="Verbs">In upper case.</param>
/// <param name="Path">With a leading slash; a parameter is <c>{name}</c>, <c>{*name}</c> where it may have slashes, <c>{name?}</c> where it may lack.</param>
internal sealed record RouteContract(IReadOnlyList<string> Verbs, string Path);

/// <summary>One parameter.</summary>
/// <param name="Name">In code.</param>
/// <param name="Wire">In requests.</param>
/// <param name="In">Where it is sent, as <c>docs/guide/contracts.md</c> has it.</param>
/// <param name="Type">Its type; of a streamed request the item's.</param>
/// <param name="IsOptional">Whether a request may lack it.</param>
/// <param name="HasDefault">Whether the method declares a default that is not null.</param>
/// <param name="Summary">What its documentation says.</param>
internal sealed record ParameterContract(string Name, string Wire, string In, string Type, bool IsOptional, bool HasDefault, string? Summary);

/// <summary>A type with a name.</summary>
/// <param name="Names">The names of an enum; <c>null</c> for an object.</param>
/// <param name="IsFlags">Whether several names of an enum are a value too.</param>
/// <param name="Members">The members of an object.</param>
/// <param name="Discriminator">The member that says which case a value is; <c>null</c> for most.</param>
/// <param name="Cases">The cases.</param>
internal sealed record TypeContract(IReadOnlyList<string>? Names, bool IsFlags, IReadOnlyList<MemberContract> Members, string? Discriminator, IReadOnlyList<CaseContract> Cases);

/// <summary>A member of an object.</summary>
/// <param name="Name">In JSON.</param>
/// <param name="Type">Its type.</param>
/// <param name="IsOptional">Whether a request may lack it.</param>
/// <param name="IsReadOnly">Whether a request's value is ignored.</param>
/// <param name="IsWriteOnly">Whether a result never has it.</param>
/// <param name="MayBeOmitted">Whether a result may lack it.</param>
internal sealed record MemberContract(string Name, string Type, bool IsOptional, bool IsReadOnly, bool IsWriteOnly, bool MayBeOmitted);

/// <summary>One case of a type that is sent as one of several.</summary>
/// <param name="Value">The discriminator's value as JSON; <c>null</c> for none.</param>
/// <param name="Type">Its type.</param>
internal sealed record CaseContract(string? Value, string Type);
