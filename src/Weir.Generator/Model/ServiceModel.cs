namespace Weir.Generator.Model;

/// <summary>One service: everything its output file is written from.</summary>
/// <param name="Name">In paths.</param>
/// <param name="Identifier">In generated code.</param>
/// <param name="TypeName">The class, for people.</param>
/// <param name="Class">The class, fully qualified.</param>
/// <param name="MetadataName">The class, for finding its symbol again.</param>
/// <param name="Contract">The interface it serves; <c>null</c> without one.</param>
/// <param name="Client">The generated interface of a class without a contract; <c>null</c> otherwise.</param>
/// <param name="Constructor">The parameters of its constructor.</param>
/// <param name="IsShared">Whether one instance serves all calls.</param>
/// <param name="Operations">Its operations.</param>
/// <param name="OtherMethods">Members of the contract that are not operations, for the proxy.</param>
internal sealed record ServiceModel(
    string Name,
    string Identifier,
    string TypeName,
    string Class,
    string MetadataName,
    string? Contract,
    ClientModel? Client,
    EquatableArray<InjectionModel> Constructor,
    bool IsShared,
    EquatableArray<OperationModel> Operations,
    EquatableArray<ContractMethodModel> OtherMethods)
{
    /// <summary>The interface that it serves, for people; <c>null</c> without one.</summary>
    public string? ContractName { get; init; }

    /// <summary>Whether workers in another language serve it, and there is no class.</summary>
    public bool IsForeign { get; init; }

    /// <summary>What the paths of its operations start with, without slashes around it.</summary>
    public string Route { get; init; } = Name;

    /// <summary>Whether it is served over HTTP.</summary>
    public bool IsServedOverHttp { get; init; } = true;

    /// <summary>Expressions of the endpoint metadata that its operations share.</summary>
    public EquatableArray<string> EndpointMetadata { get; init; }

    /// <summary>What the documentation comment of its contract or class says.</summary>
    public DocumentationModel? Documentation { get; init; }

    /// <summary>The enums that its operations exchange.</summary>
    public EquatableArray<EnumModel> Enums { get; init; }

    /// <summary>The types that its operations exchange, as the contract describes them.</summary>
    public EquatableArray<WireTypeModel> WireTypes { get; init; }

    /// <summary>What callers see of it.</summary>
    public ContractModel ContractText => new(
        Name, ContractName, Documentation?.Summary, Operations.Select(static one => new ContractOperationModel(one.Name, one.Signature, one.Shape, one.Method, one.Documentation) { JobKind = one.Job?.Kind, JobRespond = one.Job?.Respond ?? 0 }).ToEquatableArray(), WireTypes)
    {
        Declaring = MetadataName,
    };

    public string OperationsClass => Identifier + "Operations";

    public string ProxyClass => Identifier + (Contract is null ? "Client" : "Proxy");
}

/// <summary>The generated interface of a class without a contract.</summary>
/// <param name="Namespace">Its namespace; empty for the global one.</param>
/// <param name="Name">Its name.</param>
/// <param name="IsPublic">Whether the class is public.</param>
internal sealed record ClientModel(string Namespace, string Name, bool IsPublic)
{
    public string Type => "global::" + (Namespace.Length == 0 ? Name : Namespace + "." + Name);
}
