using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Weir.Cli.Tests.Jobs;

/// <summary>An application with jobs. A caller that sends <c>X-User: ada</c> is an operator; other names are users.</summary>
internal sealed class JobsHost : IAsyncDisposable
{
    private readonly WebApplication _application;

    private JobsHost(WebApplication application) => _application = application;

    /// <summary>Its address, without a slash at the end.</summary>
    public string Address => _application.Urls.Single();

    /// <summary>Lets builds end.</summary>
    public ExportGate Gate => _application.Services.GetRequiredService<ExportGate>();

    /// <summary>Starts it.</summary>
    /// <param name="store">A file; <c>null</c> for memory.</param>
    /// <param name="address">Where it listens.</param>
    public static async Task<JobsHost> StartAsync(string? store = null, string address = "http://127.0.0.1:0")
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(address);
        builder.Services.AddSingleton<ExportGate>();
        builder.Configuration["Weir:Jobs:DrainTimeout"] = "00:00:00.300";
        builder.Services.AddAuthentication("User").AddScheme<AuthenticationSchemeOptions, UserHandler>("User", null);
        builder.Services.AddAuthorization();
        builder.Services.AddWeir();
        builder.Services.AddWeirJobs(jobs => _ = store is null ? jobs.UseMemory() : jobs.UseSqlite(store));
        var application = builder.Build();
        application.UseAuthentication();
        application.UseAuthorization();
        application.MapWeir();
        application.MapWeirCatalog().AllowAnonymous();
        application.MapWeirJobs();
        application.MapWeirJobsAdmin().RequireAuthorization(static policy => policy.RequireUserName("ada"));
        await application.StartAsync(TestContext.Current.CancellationToken);
        return new JobsHost(application);
    }

    public async ValueTask DisposeAsync()
    {
        await _application.StopAsync(CancellationToken.None);
        await _application.DisposeAsync();
    }

    private sealed class UserHandler(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder) : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(Request.Headers["X-User"] is [{ Length: > 0 } name]
            ? AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], "User")), "User"))
            : AuthenticateResult.NoResult());
    }
}
