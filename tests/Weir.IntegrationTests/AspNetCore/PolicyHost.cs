using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Weir.IntegrationTests.Services;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>The application's services behind all the middleware that reads policies.</summary>
internal static class PolicyHost
{
    /// <summary>The places where a call runs, as <see cref="Kinds"/> names its operations.</summary>
    internal static readonly string[] Kinds = ["Inline", "Lane", "Worker", "Stream", "WorkerStream"];

    internal static Task<WeirHost> StartAsync(Action<WebApplication, IEndpointConventionBuilder>? after = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options, static pool =>
        {
            pool.MaxWorkers = 1;
            pool.StartTimeout = TimeSpan.FromMinutes(1);
        }),
        Services = static builder =>
        {
            var services = builder.Services;
            services.AddAuthentication("header").AddScheme<AuthenticationSchemeOptions, HeaderAuthentication>("header", null);
            services.AddAuthorization(static options => options.AddPolicy("users", static policy => policy.RequireAssertion(static context => context.User.Identity is { IsAuthenticated: true, Name: not "banned" })));
            services.AddCors(static options => options.AddPolicy("site", static policy => policy.WithOrigins("https://friend.example").WithMethods("POST")));
            services.AddAntiforgery();
            services.AddRateLimiter(static options =>
            {
                options.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
                options.AddPolicy("one", static http => RateLimitPartition.GetFixedWindowLimiter(
                    http.GetEndpoint()!.Metadata.GetRequiredMetadata<Operation>().FullName,
                    static _ => new FixedWindowRateLimiterOptions { PermitLimit = 1, Window = TimeSpan.FromHours(1) }));
            });
        },
        Before = static app =>
        {
            app.UseRouting();
            app.UseCors();
            app.UseAuthentication();
            app.UseAuthorization();
            app.UseRateLimiter();
            app.UseOutputCache();
            app.UseRequestTimeouts();
            app.UseAntiforgery();
        },
        After = after,
    });

    /// <summary>A request of a user; an anonymous one without a name.</summary>
    internal static HttpRequestMessage Request(HttpMethod method, string path, string? user = null)
    {
        var request = new HttpRequestMessage(method, path);
        if (user is not null)
        {
            request.Headers.Add("X-User", user);
        }

        return request;
    }
}

/// <summary>Believes what the header <c>X-User</c> says; <c>root</c> has the role admin.</summary>
internal sealed class HeaderAuthentication(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
{
    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        if (Request.Headers["X-User"] is not [{ } user])
        {
            return Task.FromResult(AuthenticateResult.NoResult());
        }

        var claims = user == "root" ? new[] { new Claim(ClaimTypes.Name, user), new Claim(ClaimTypes.Role, "admin") } : [new Claim(ClaimTypes.Name, user)];
        return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(new ClaimsIdentity(claims, "header")), "header")));
    }
}
