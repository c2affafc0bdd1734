using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Responses;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// The endpoints of all services: for each operation one for each path and one for each extension, for each service one for
/// paths that are not an operation. Built when the application starts, after all conventions were added.
/// </summary>
internal sealed class OperationDataSource(string prefix, IReadOnlyList<Service> services, Func<EndpointServices> getShared, IServiceProvider applicationServices)
    : EndpointDataSource, IEndpointConventionBuilder
{
    // For an operation whose method is not known.
    private static readonly Action NoMethod = static () => { };

    private readonly List<Action<EndpointBuilder>> _conventions = [];
    private readonly List<Action<EndpointBuilder>> _finalConventions = [];
    private readonly Lock _lock = new();
    private IReadOnlyList<Endpoint>? _endpoints;
    private IReadOnlyList<Endpoint>? _grouped;

    public override IReadOnlyList<Endpoint> Endpoints
    {
        get
        {
            lock (_lock)
            {
                return _endpoints ??= Build(null);
            }
        }
    }

    /// <summary>What it serves.</summary>
    internal IReadOnlyList<Service> Services => services;

    /// <summary>The endpoints of the last build, in a group or not; <c>null</c> before.</summary>
    internal IReadOnlyList<Endpoint>? Built
    {
        get
        {
            lock (_lock)
            {
                return _grouped ?? _endpoints;
            }
        }
    }

    /// <summary>The endpoints inside a group. Routing may call this more than once; each time it builds equal endpoints.</summary>
    public override IReadOnlyList<Endpoint> GetGroupedEndpoints(RouteGroupContext context)
    {
        lock (_lock)
        {
            return _grouped = Build(context);
        }
    }

    // What is served is fixed at compile time.
    public override IChangeToken GetChangeToken() => NullChangeToken.Singleton;

    public void Add(Action<EndpointBuilder> convention) => Add(_conventions, convention);

    public void Finally(Action<EndpointBuilder> finallyConvention) => Add(_finalConventions, finallyConvention);

    private void Add(List<Action<EndpointBuilder>> conventions, Action<EndpointBuilder> convention)
    {
        lock (_lock)
        {
            if (Built is not null)
            {
                throw new InvalidOperationException("Weir's endpoints are built already; add conventions to what MapWeir returns before the application starts.");
            }

            conventions.Add(convention);
        }
    }

    private List<Endpoint> Build(RouteGroupContext? group)
    {
        var shared = getShared();
        var endpoints = new List<Endpoint>();
        foreach (var service in services)
        {
            // The attributes of contract and class are made once and shared by the endpoints of all operations.
            var attributes = service.EndpointMetadata?.Invoke() ?? [];
            var first = endpoints.Count;
            foreach (var operation in service.Operations)
            {
                Add(endpoints, shared, operation, operation.EndpointMetadata?.Invoke(attributes) ?? attributes, group);
            }

            // Without a route of its own, a service would answer for all paths of the application.
            if (service.Route.Length > 0)
            {
                // The answer to an unknown name demands what every operation of the service demands. It runs no operation, so it runs no endpoint filter.
                var fallback = new ServiceFallback(service);
                var pattern = Pattern(service.Name, $"{service.Route}/{{**{ServiceFallback.RouteValue}}}", group);
                var unknown = Build(pattern, fallback.InvokeAsync, $"Weir: {service.Name}", [fallback], attributes, group);
                fallback.HideGuarded(endpoints[first..], unknown);
                endpoints.Add(unknown);
            }
        }

        return endpoints;
    }

    private void Add(List<Endpoint> endpoints, EndpointServices shared, Operation operation, IReadOnlyList<object> attributes, RouteGroupContext? group)
    {
        // Routing accepts an [EndpointName] once: it belongs to the first path, the one without an extension.
        var nameless = attributes.Any(static one => one is IEndpointNameMetadata) ? [.. attributes.Where(static one => one is not IEndpointNameMetadata)] : attributes;
        var formats = Formatting.Formats.Of(operation);
        foreach (var route in operation.Routes)
        {
            object[] subject = [operation, new ServedRoute(route.Verbs)];
            var pattern = Pattern(operation.FullName, route.Template, group);
            var arguments = RouteArguments(operation, pattern);
            var handler = new OperationHandler(shared, operation, route.Verbs, arguments, formats, isByExtension: false);
            endpoints.Add(Build(pattern, handler.InvokeAsync, $"Weir: {route.Template}", subject, route == operation.Routes[0] ? attributes : nameless, group, handler.AddFilters));
            foreach (var extension in RoutePatterns.EndsInText(pattern) ? formats.Extensions : [])
            {
                var path = $"{route.Template}.{extension}";
                var named = new OperationHandler(shared, operation, route.Verbs, arguments, formats.WithExtension(extension)!, isByExtension: true);
                endpoints.Add(Build(Pattern(operation.FullName, path, group), named.InvokeAsync, $"Weir: {path}", subject, nameless, group, named.AddFilters));
            }
        }
    }

    private RoutePattern Pattern(string subject, string template, RouteGroupContext? group) =>
        RoutePatternFactory.Combine(group?.Prefix, RoutePatterns.Parse(subject, $"{prefix}/{template}", applicationServices.GetService<ParameterPolicyFactory>()));

    // Also those in the prefix of MapWeir and of groups.
    private static string[] RouteArguments(Operation operation, RoutePattern pattern)
    {
        var missing = operation.Parameters.FirstOrDefault(one => one is { Source: ParameterSource.Route, IsOptional: false } && pattern.GetParameter(one.WireName) is null);
        return missing is null
            ? [.. pattern.Parameters.Select(static one => one.Name).Where(name => operation.Parameters.Any(one => IsInPath(one, name)))]
            : throw new InvalidOperationException(
                $"{operation} takes '{missing.Name}' from the path ([FromRoute]), and '{pattern.RawText}' has no '{{{missing.WireName}}}'; add it to the route, or remove [FromRoute].");
    }

    private static bool IsInPath(Parameter parameter, string name) =>
        parameter.Source is ParameterSource.Value or ParameterSource.Route && string.Equals(parameter.WireName, name, StringComparison.OrdinalIgnoreCase);

    // The order of metadata is minimal API's: the group's, the attributes, MapWeir's own; a later one wins.
    private Endpoint Build(
        RoutePattern pattern, RequestDelegate handler, string displayName, IEnumerable<object> subject, IReadOnlyList<object> attributes, RouteGroupContext? group,
        Action<EndpointBuilder>? addFilters = null)
    {
        var builder = new RouteEndpointBuilder(handler, pattern, order: 0)
        {
            DisplayName = displayName,
            ApplicationServices = group?.ApplicationServices ?? applicationServices,
        };
        foreach (var one in subject)
        {
            builder.Metadata.Add(one);
        }

        Apply(group?.Conventions, builder);
        if (subject.OfType<Operation>().FirstOrDefault() is { DescribeEndpoint: { } describe } operation)
        {
            describe(builder, operation.Method?.Invoke() ?? NoMethod);
        }

        foreach (var attribute in attributes)
        {
            builder.Metadata.Add(attribute);
        }

        Apply(_conventions, builder);
        Apply(_finalConventions, builder);
        Apply(group?.FinallyConventions, builder);
        addFilters?.Invoke(builder);
        AntiforgeryCheck.Apply(builder);
        return builder.Build();
    }

    private static void Apply(IReadOnlyList<Action<EndpointBuilder>>? conventions, EndpointBuilder builder)
    {
        foreach (var convention in conventions ?? [])
        {
            convention(builder);
        }
    }
}
