using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Authorization.Policy;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.AspNetCore.Hosting;

namespace Weir.Jobs.AspNetCore.Access;

/// <summary>The policy of the admin endpoints, asked for requests of other endpoints. Used concurrently.</summary>
/// <param name="services">The application.</param>
internal sealed class AdminPolicy(JobServices services)
{
    private readonly Lazy<Endpoint?> _endpoint = new(() =>
        services.Services.GetService<EndpointDataSource>()?.Endpoints.FirstOrDefault(static endpoint => endpoint.Metadata.GetMetadata<AdminEndpoint>() is not null));

    /// <summary>Whether the caller passes it; <c>false</c> where there are no admin endpoints.</summary>
    public async ValueTask<bool> AllowsAsync(HttpContext http)
    {
        if (_endpoint.Value is not { } endpoint || services.Services.GetService<IAuthorizationPolicyProvider>() is not { } policies)
        {
            return false;
        }

        var metadata = endpoint.Metadata;
        var policy = await AuthorizationPolicy.CombineAsync(policies, metadata.GetOrderedMetadata<IAuthorizeData>(), metadata.GetOrderedMetadata<AuthorizationPolicy>());
        var requirements = metadata.GetOrderedMetadata<IAuthorizationRequirementData>().SelectMany(static data => data.GetRequirements()).ToArray();
        if (requirements.Length > 0)
        {
            var own = new AuthorizationPolicyBuilder().AddRequirements(requirements).Build();
            policy = policy is null ? own : AuthorizationPolicy.Combine(policy, own);
        }

        if (policy is null)
        {
            return false;
        }

        // A policy with schemes of its own changes who the caller is: for this question only.
        var user = http.User;
        try
        {
            var evaluator = http.RequestServices.GetRequiredService<IPolicyEvaluator>();
            var authenticated = await evaluator.AuthenticateAsync(policy, http);
            return (await evaluator.AuthorizeAsync(policy, authenticated, http, http)).Succeeded;
        }
        finally
        {
            http.User = user;
        }
    }
}
