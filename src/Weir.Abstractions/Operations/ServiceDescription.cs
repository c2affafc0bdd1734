namespace Weir;

/// <summary>
/// What documents and tools show of a service. Immutable. Serving calls needs none of it: it is made when <see cref="Service.Description"/> is first
/// read, so that a worker never loads the types that it names.
/// </summary>
public sealed class ServiceDescription
{
    /// <summary>The summary of the documentation comment of the contract or class; <c>null</c> without one.</summary>
    public string? Summary { get; init; }

    /// <summary>The descriptions of <see cref="Service.Operations"/>, in their order.</summary>
    public required IReadOnlyList<OperationDescription> Operations { get; init; }

    /// <summary>
    /// What callers send and receive, as JSON: the operations with their routes, parameters and results, and the types that they exchange.
    /// <c>null</c>, the default, for a service that is not served over HTTP.
    /// </summary>
    public string? Contract { get; init; }

    /// <summary>The enums that the operations exchange.</summary>
    public IReadOnlyList<EnumDescription> Enums { get; init; } = [];
}
