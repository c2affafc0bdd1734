using Microsoft.AspNetCore.Routing;

namespace Weir.AspNetCore.Description;

/// <summary>One operation at one of its paths for one verb, as clients see it. Immutable.</summary>
internal sealed class HttpOperation
{
    /// <summary>The operation.</summary>
    internal required Operation Operation { get; init; }

    /// <summary>The endpoint, with the metadata of all conventions.</summary>
    internal required RouteEndpoint Endpoint { get; init; }

    /// <summary>The verb, in upper case. HEAD is not described beside GET.</summary>
    internal required string Verb { get; init; }

    /// <summary>The path with a leading slash; its parameters are <c>{name}</c>, without their constraints.</summary>
    internal required string Path { get; init; }

    /// <summary>The parameters outside of the body.</summary>
    internal required IReadOnlyList<HttpParameter> Parameters { get; init; }

    /// <summary>The body of a request; <c>null</c> for none.</summary>
    internal required HttpBody? Body { get; init; }

    /// <summary>Whether a request can become a job.</summary>
    internal bool BecomesJob { get; init; }

    /// <summary>The responses, the successful one first.</summary>
    internal required IReadOnlyList<ExpectedResponse> Responses { get; init; }

    /// <summary>What its documentation comment says about the operation; empty without one.</summary>
    internal OperationDescription Description => Operation.Description ?? Undescribed;

    private static OperationDescription Undescribed { get; } = new();
}
