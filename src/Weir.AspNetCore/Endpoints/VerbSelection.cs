using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.Extensions.Primitives;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Chooses among operations that share a path by the request's verb. A verb that none of them accepts, and OPTIONS, are answered with the verbs of all of
/// them, behind the policies of the one that has most: routing's own policy for verbs would answer before authorization.
/// </summary>
internal sealed class VerbSelection : MatcherPolicy, INodeBuilderPolicy
{
    /// <summary>Every verb.</summary>
    internal static readonly Verbs[] Each = [Verbs.Get, Verbs.Post, Verbs.Put, Verbs.Delete, Verbs.Patch];

    // After the fallbacks are removed, before routing's own policy for verbs.
    public override int Order => -1500;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => endpoints.Select(RouteOf).Where(static route => route is not null).Distinct().Skip(1).Any();

    // An endpoint that is not Weir's is left to the policies after this one, whatever the verb.
    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints)
    {
        var edges = Each.Select(verb => (verb, accepting: endpoints.Where(endpoint => RouteOf(endpoint)?.Verbs.HasFlag(verb) != false).ToArray()))
            .Where(static one => one.accepting.Any(static endpoint => RouteOf(endpoint) is not null))
            .Select(static one => new PolicyNodeEdge(one.verb, one.accepting));
        var others = endpoints.Where(static endpoint => RouteOf(endpoint) is null);
        return [.. edges, new PolicyNodeEdge(Verbs.None, [.. others, Refusal(endpoints)])];
    }

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges) => new ByVerb(edges);

    private static ServedRoute? RouteOf(Endpoint endpoint) => endpoint.Metadata.GetMetadata<ServedRoute>();

    // Routing compares candidates by their patterns, so this one keeps the pattern of the operation whose policies it has.
    private static RouteEndpoint Refusal(IReadOnlyList<Endpoint> endpoints)
    {
        var served = endpoints.Where(static endpoint => RouteOf(endpoint) is not null).ToList();
        var most = (RouteEndpoint)served.MaxBy(static endpoint => endpoint.Metadata.GetMetadata<IAllowAnonymous>() is null ? endpoint.Metadata.Count(ServiceFallback.IsGuard) : -1)!;
        var verbs = served.Aggregate(Verbs.None, static (all, endpoint) => all | RouteOf(endpoint)!.Verbs);
        var guard = new RequestGuard(most.Metadata.GetRequiredMetadata<Operation>(), verbs);
        return new RouteEndpoint(http => guard.AnswerVerbAsync(http), most.RoutePattern, most.Order, most.Metadata, most.DisplayName);
    }

    private sealed class ByVerb(IReadOnlyList<PolicyJumpTableEdge> edges) : PolicyJumpTable
    {
        private readonly Dictionary<Verbs, int> _destinations = edges.ToDictionary(static edge => (Verbs)edge.State, static edge => edge.Destination);

        public override int GetDestination(HttpContext httpContext)
        {
            // The policies of the operation that a browser asks about decide, not those of an operation beside it.
            var request = httpContext.Request;
            var method = HttpMethods.IsOptions(request.Method) && request.Headers.AccessControlRequestMethod is var asked && !StringValues.IsNullOrEmpty(asked) ? asked[0]! : request.Method;
            return _destinations.TryGetValue(AllowedVerbs.Parse(method), out var destination) ? destination : _destinations[Verbs.None];
        }
    }
}
