using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Primitives;

namespace Weir.Server.Hosting;

/// <summary>
/// The endpoints of all services: per operation one for its path and one for each extension, per service one for what is
/// no operation. Built once, after the application has said all its conventions.
/// </summary>
internal sealed class OperationDataSource(string prefix, IReadOnlyList<Service> services, Func<HttpDoor> door, IServiceProvider applicationServices)
    : EndpointDataSource, IEndpointConventionBuilder
{
    private readonly List<Action<EndpointBuilder>> _conventions = [];
    private readonly List<Action<EndpointBuilder>> _finalConventions = [];
    private readonly Lock _lock = new();
    private IReadOnlyList<Endpoint>? _endpoints;

    public override IReadOnlyList<Endpoint> Endpoints
    {
        get
        {
            lock (_lock)
            {
                return _endpoints ??= Build();
            }
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
            if (_endpoints is not null)
            {
                throw new InvalidOperationException("Weir's endpoints are built already; add conventions to what MapWeir returns before the application starts.");
            }

            conventions.Add(convention);
        }
    }

    private List<Endpoint> Build()
    {
        var shared = door();
        var endpoints = new List<Endpoint>();
        foreach (var service in services)
        {
            foreach (var operation in service.Operations)
            {
                Add(endpoints, shared, operation);
            }

            var fallback = new ServiceFallback(service);
            endpoints.Add(Build($"{service.Name}/{{**{ServiceFallback.RouteValue}}}", fallback.InvokeAsync, $"Weir: {service.Name}", fallback));
        }

        return endpoints;
    }

    private void Add(List<Endpoint> endpoints, HttpDoor shared, Operation operation)
    {
        var path = operation.FullName;
        var formats = Formatting.Formats.Of(operation);
        endpoints.Add(Build(path, new OperationHandler(shared, operation, formats, isByExtension: false).InvokeAsync, $"Weir: {path}", operation));
        foreach (var extension in formats.Extensions)
        {
            var handler = new OperationHandler(shared, operation, formats.WithExtension(extension)!, isByExtension: true);
            endpoints.Add(Build($"{path}.{extension}", handler.InvokeAsync, $"Weir: {path}.{extension}", operation));
        }
    }

    private Endpoint Build(string path, RequestDelegate handler, string displayName, object metadata)
    {
        var builder = new RouteEndpointBuilder(handler, RoutePatternFactory.Parse($"{prefix}/{path}"), order: 0)
        {
            DisplayName = displayName,
            ApplicationServices = applicationServices,
        };
        builder.Metadata.Add(metadata);
        foreach (var convention in _conventions)
        {
            convention(builder);
        }

        foreach (var convention in _finalConventions)
        {
            convention(builder);
        }

        return builder.Build();
    }
}
