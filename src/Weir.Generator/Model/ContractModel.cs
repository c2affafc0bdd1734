namespace Weir.Generator.Model;

/// <summary>What callers see of a service: everything that its contract is written from.</summary>
/// <param name="Service">The service's name.</param>
/// <param name="Interface">The interface, for people; <c>null</c> for a class without one.</param>
/// <param name="Summary">What its documentation says.</param>
/// <param name="Operations">Its operations.</param>
/// <param name="Types">The types that they exchange.</param>
internal sealed record ContractModel(
    string Service, string? Interface, string? Summary, EquatableArray<ContractOperationModel> Operations, EquatableArray<WireTypeModel> Types)
{
    /// <summary>The type that declares or serves it, for finding its symbol again.</summary>
    public string? Declaring { get; init; }
}

/// <summary>One operation of a contract.</summary>
/// <param name="Name">In paths.</param>
/// <param name="Signature">The hash of its shape and of the types that it uses.</param>
/// <param name="Shape">A JSON object.</param>
/// <param name="Method">The method's name, for finding its symbol again.</param>
/// <param name="Documentation">What the documentation comment of its method says.</param>
internal sealed record ContractOperationModel(string Name, ulong Signature, string Shape, string Method, DocumentationModel? Documentation)
{
    /// <summary>The name of the kind of its jobs; <c>null</c> where its calls are none.</summary>
    public string? JobKind { get; init; }

    /// <summary>The number of a <c>JobRespond</c>: when a request becomes a job.</summary>
    public int JobRespond { get; init; }
}

/// <summary>Where an operation is served.</summary>
/// <param name="Declared">Empty for <c>Service/Operation</c>.</param>
/// <param name="Verbs">The verbs of that, an expression.</param>
/// <param name="FullName"><c>Service/Operation</c>.</param>
internal sealed record OperationRoutes(EquatableArray<RouteModel> Declared, string Verbs, string FullName)
{
    /// <summary>All of them.</summary>
    public IEnumerable<RouteModel> All => Declared.Count > 0 ? Declared : [new RouteModel(Verbs, FullName)];
}
