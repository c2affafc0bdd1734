using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Removes a service's fallback from routing where an operation's own path always matches: otherwise routing would compare both
/// at every request, and collect the fallback's route values without need. Of the fallbacks of services with the same route, the first remains.
/// </summary>
internal sealed class FallbackPruning : MatcherPolicy, INodeBuilderPolicy
{
    // Before the policies for verbs and hosts: they then see fewer endpoints.
    public override int Order => -2000;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => Remaining(endpoints).Count() < endpoints.Count;

    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints) => [new PolicyNodeEdge(this, [.. Remaining(endpoints)])];

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges) => new OnlyWay(edges[0].Destination);

    private static IEnumerable<Endpoint> Remaining(IReadOnlyList<Endpoint> endpoints)
    {
        // One that a constraint may refuse leaves its verb to the fallback.
        var alwaysMatches = endpoints.Any(IsOperation) && endpoints.Where(IsOperation).All(static endpoint => endpoint is RouteEndpoint route && RoutePatterns.IsPlain(route.RoutePattern));
        var shapes = new HashSet<string>(StringComparer.Ordinal);
        return endpoints.Where(endpoint => !IsFallback(endpoint) || (!alwaysMatches && shapes.Add(RoutePatterns.Shape(((RouteEndpoint)endpoint).RoutePattern))));
    }

    private static bool IsOperation(Endpoint endpoint) => endpoint.Metadata.GetMetadata<Operation>() is not null;

    private static bool IsFallback(Endpoint endpoint) => endpoint.Metadata.GetMetadata<ServiceFallback>() is not null;

    private sealed class OnlyWay(int destination) : PolicyJumpTable
    {
        public override int GetDestination(HttpContext httpContext) => destination;
    }
}
