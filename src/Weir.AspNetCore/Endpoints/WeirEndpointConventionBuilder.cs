using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Adds conventions and endpoint filters to all endpoints of one <c>MapWeir</c> or <c>MapWeirService</c>. Used while the application is set up, by one thread.</summary>
public sealed class WeirEndpointConventionBuilder : IEndpointConventionBuilder
{
    private readonly IEndpointConventionBuilder _endpoints;

    internal WeirEndpointConventionBuilder(IEndpointConventionBuilder endpoints) => _endpoints = endpoints;

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The endpoints are built already: the application has started.</exception>
    public void Add(Action<EndpointBuilder> convention) => _endpoints.Add(convention);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The endpoints are built already: the application has started.</exception>
    public void Finally(Action<EndpointBuilder> finallyConvention) => _endpoints.Finally(finallyConvention);

    /// <summary>
    /// Adds an endpoint filter that is created for each endpoint with the application's services. It runs around the operations, after the
    /// arguments were bound; inside the filters that were added before it, and inside those of the groups around.
    /// </summary>
    /// <typeparam name="TFilter">The filter. One instance serves all requests of an endpoint, concurrently.</typeparam>
    public WeirEndpointConventionBuilder AddEndpointFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>()
        where TFilter : IEndpointFilter =>
        this.AddEndpointFilter<WeirEndpointConventionBuilder, TFilter>();
}
