using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.TypeScript.Tests.Application;

/// <summary>The services with jobs, on a free port or a given one; the services are below a prefix, the jobs are not.</summary>
internal sealed class RunningReports : IAsyncDisposable
{
    private readonly WebApplication _app;

    private RunningReports(WebApplication app) => _app = app;

    internal string Address => _app.Urls.First();

    internal IJobs Jobs => _app.Services.GetRequiredService<IJobs>();

    /// <param name="store">The file of the jobs; <c>null</c> for memory.</param>
    /// <param name="address">Where to listen.</param>
    internal static async Task<RunningReports> StartAsync(string? store = null, string address = "http://127.0.0.1:0")
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = "Development" });
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(address);
        builder.Services.AddWeir();
        builder.Services.AddSingleton<EchoState>();
        builder.Services.AddSingleton<Ledger>();
        builder.Services.AddWeirJobs(jobs =>
        {
            jobs.DrainTimeout = TimeSpan.Zero;
            _ = store is null ? jobs.UseMemory() : jobs.UseSqlite(store);
        });
        var app = builder.Build();
        app.MapWeir("/v1");
        app.MapWeirJobs();
        app.MapWeirCatalog();
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new RunningReports(app);
    }

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();
}
