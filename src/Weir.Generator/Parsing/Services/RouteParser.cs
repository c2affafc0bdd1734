using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>Reads the routes of one service's operations. A template that the method does not fit, or that two operations have, is reported.</summary>
/// <param name="findings">Receives errors.</param>
/// <param name="service">What the paths start with, without slashes around it; empty for nothing.</param>
internal sealed class RouteParser(Findings findings, string service)
{
    // Per path and verb: the operation, for the message about a second one.
    private readonly Dictionary<string, string> _taken = new(StringComparer.Ordinal);

    /// <summary>What the paths of a service's operations start with: the route that its class or contract names, otherwise its name.</summary>
    public static string RouteOf(INamedTypeSymbol declaring, string name) => (declaring.Weir("ServiceAttribute")?.Named("Route") as string)?.Trim('/') ?? name;

    /// <summary>The routes of an operation: one for each template.</summary>
    public EquatableArray<RouteModel> Of(IMethodSymbol method, string fullName, string name, IReadOnlyList<DeclaredVerb> verbs, EquatableArray<ParameterModel> parameters)
    {
        var routes = new List<RouteModel>();
        foreach (var group in verbs.GroupBy(static verb => verb.Template))
        {
            var path = Path(group.Key ?? name);
            var place = group.First().Attribute?.Place(method) ?? method.Locations.FirstOrDefault();
            if (RouteTemplate.Parse(path, out var reason) is not { } template)
            {
                findings.Report(WeirCodes.RouteTemplate, place, fullName, path, reason);
                continue;
            }

            foreach (var parameter in template.Parameters)
            {
                if (Mismatch(parameter, parameters) is { } mismatch)
                {
                    findings.Report(WeirCodes.RouteTemplate, place, fullName, path, mismatch);
                }
            }

            foreach (var verb in group)
            {
                var key = $"{verb.Name} {template.Shape}";
                if (_taken.TryGetValue(key, out var other))
                {
                    findings.Report(WeirCodes.RouteTemplate, place, fullName, path, $"{other} has the same route for {verb.Name.ToUpperInvariant()}; change one of them");
                }
                else
                {
                    _taken.Add(key, fullName);
                }
            }

            routes.Add(new RouteModel(DeclaredVerb.Expression(group), path));
        }

        return routes.Count == 1 && routes[0].Template == fullName ? default : routes.ToEquatableArray();
    }

    private string Path(string template) =>
        template.StartsWith("/", StringComparison.Ordinal) || service.Length == 0 ? template.Trim('/')
        : template.Length == 0 ? service
        : $"{service}/{template.TrimEnd('/')}";

    // Why a parameter of a template has no value to give; null for nothing.
    private static string? Mismatch(RouteParameter route, EquatableArray<ParameterModel> parameters)
    {
        var named = parameters.Where(one => string.Equals(one.WireName, route.Name, StringComparison.OrdinalIgnoreCase)).ToList();
        var parameter = named.Find(static one => !one.IsMarked || one.Source == "Route") ?? named.FirstOrDefault();
        return parameter switch
        {
            { IsMarked: true, Source: not "Route" } => $"'{parameter.Name}' is marked [From{(parameter.IsRaw || parameter.IsItems ? "Body" : parameter.Source)}], so the path does not supply it; remove the attribute, or '{{{route.Name}}}'",
            null => $"no parameter of the method is named '{route.Name}'; add one, or remove '{{{route.Name}}}'",
            { IsValue: false } or { Value.Kind: not ValueKind.Scalar } => $"'{route.Name}' is {parameter.Display}, which a path cannot express; take a number, text or another single value",
            { IsOptional: false } when route.IsOptional => $"'{route.Name}' is optional in it but not in the method; give the parameter a default or a '?', or remove the '?' in the route",
            _ => null,
        };
    }
}
