using Microsoft.AspNetCore.Authorization;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Dashboard.Actions;

/// <summary>The policy that says who may act.</summary>
internal static class ActionPolicy
{
    /// <summary>Stops the start of an application that names one which it does not have: each action would fail.</summary>
    /// <param name="name">Its name; <c>null</c> where none may act.</param>
    /// <param name="services">The application.</param>
    /// <exception cref="InvalidOperationException">There is no such policy (WEIR3002).</exception>
    public static void Require(string? name, IServiceProvider services)
    {
        if (name is not null && services.GetService<IAuthorizationPolicyProvider>()?.GetPolicyAsync(name).GetAwaiter().GetResult() is null)
        {
            throw new InvalidOperationException(
                $"ActionPolicy of MapWeirDashboard is '{name}', and the application has no policy of that name: register it with builder.Services.AddAuthorizationBuilder().AddPolicy(\"{name}\", …). See {WeirCodes.InvalidOptions}.");
        }
    }
}
