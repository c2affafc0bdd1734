using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Weir.AspNetCore.Endpoints;

/// <summary>Finds operations between which routing could not choose. It would say so at each request, with the status 500.</summary>
internal static class RouteConflicts
{
    /// <param name="endpoints">All endpoints of Weir, of all sources.</param>
    /// <exception cref="InvalidOperationException">Two have one path, one verb and the same hosts.</exception>
    internal static void Check(IEnumerable<Endpoint> endpoints)
    {
        var taken = new Dictionary<string, RouteEndpoint>(StringComparer.Ordinal);
        foreach (var endpoint in endpoints.OfType<RouteEndpoint>())
        {
            if (endpoint.Metadata.GetMetadata<ServedRoute>() is not { } route)
            {
                continue;
            }

            var shape = RoutePatterns.Shape(endpoint.RoutePattern);
            var hosts = string.Join(',', endpoint.Metadata.GetMetadata<IHostMetadata>()?.Hosts ?? []);
            foreach (var verb in VerbSelection.Each)
            {
                if ((route.Verbs & verb) == 0)
                {
                    continue;
                }

                // None of the three has a line end.
                var place = $"{(int)verb}\n{hosts}\n{shape}";
                if (!taken.TryAdd(place, endpoint))
                {
                    throw Conflict(verb, taken[place], endpoint);
                }
            }
        }
    }

    private static InvalidOperationException Conflict(Verbs verb, RouteEndpoint one, RouteEndpoint other)
    {
        var (first, second) = (one.Metadata.GetRequiredMetadata<Operation>(), other.Metadata.GetRequiredMetadata<Operation>());
        var reason = first == second
            ? $"{first} is mapped twice. MapWeir maps every service: remove a call of MapWeir or MapWeirService, or give it another prefix"
            : $"{first} and {second} are both served there. Give one another route, or map their services under two prefixes with MapWeirService";
        return new InvalidOperationException($"{verb.ToString().ToUpperInvariant()} /{other.RoutePattern.RawText?.TrimStart('/')}: {reason}. See {WeirCodes.DuplicateRoute}.");
    }
}
