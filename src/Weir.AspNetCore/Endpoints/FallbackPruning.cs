using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Removes a service's fallback from routing where an operation's own path matches. Otherwise routing would compare both
/// at every request, and collect the fallback's route values without need.
/// </summary>
internal sealed class FallbackPruning : MatcherPolicy, INodeBuilderPolicy
{
    // Before the policies for verbs and hosts: they then see fewer endpoints.
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
