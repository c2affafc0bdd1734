using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.TypeScript.Tests.Application;

/// <summary>The service on a free port, below a prefix.</summary>
internal sealed class RunningEcho : IAsyncDisposable
{
    private readonly WebApplication _app;

    private RunningEcho(WebApplication app) => _app = app;

    internal string Address => _app.Urls.First();

    internal static async Task<RunningEcho> StartAsync(Action<IServiceCollection>? services = null)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = "Development" });
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddWeir();
        builder.Services.AddSingleton<EchoState>();
        builder.Services.AddSingleton<Ledger>();
        services?.Invoke(builder.Services);
        var app = builder.Build();
        app.MapWeir("/v1");
        app.MapWeirCatalog();
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new RunningEcho(app);
    }

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();
}
