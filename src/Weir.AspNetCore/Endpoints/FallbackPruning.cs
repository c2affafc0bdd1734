using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Takes a service's fallback out of routing where an operation's own path matches. Routing would otherwise weigh both
/// at every request, and collect the fallback's route values for nothing.
/// </summary>
internal sealed class FallbackPruning : MatcherPolicy, INodeBuilderPolicy
{
    // Before the policies that look at verbs and hosts: they then see fewer endpoints.
    public override int Order => -2000;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => endpoints.Any(IsOperation) && endpoints.Any(IsFallback);

    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints) =>
        [new PolicyNodeEdge(this, [.. endpoints.Where(static endpoint => !IsFallback(endpoint))])];

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges) => new OnlyWay(edges[0].Destination);

    private static bool IsOperation(Endpoint endpoint) => endpoint.Metadata.GetMetadata<Operation>() is not null;

    private static bool IsFallback(Endpoint endpoint) => endpoint.Metadata.GetMetadata<ServiceFallback>() is not null;

    private sealed class OnlyWay(int destination) : PolicyJumpTable
    {
        public override int GetDestination(HttpContext httpContext) => destination;
    }
}
