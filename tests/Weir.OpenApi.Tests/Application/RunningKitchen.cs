using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.OpenApi.Tests.Application;

/// <summary>An application as a user writes it, on a free port.</summary>
internal sealed class RunningKitchen : IAsyncDisposable
{
    private readonly WebApplication _app;

    private RunningKitchen(WebApplication app)
    {
        _app = app;
        Address = new Uri(app.Urls.First());
        Client = new HttpClient { BaseAddress = Address };
    }

    internal Uri Address { get; }

    internal HttpClient Client { get; }

    internal IServiceProvider Services => _app.Services;

    internal static async Task<RunningKitchen> StartAsync(Action<IServiceCollection>? services = null, Action<WebApplication>? map = null, string environment = "Development")
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = environment });
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddWeir(static weir => weir.RunInline = true);
        builder.Services.AddAuthentication("Bearer").AddBearerToken("Bearer");
        builder.Services.AddAuthorization();
        builder.Services.AddOpenApi();
        builder.Services.AddWeirOpenApi();
        services?.Invoke(builder.Services);
        var app = builder.Build();
        app.MapOpenApi();
        if (map is null)
        {
            app.MapWeir();
        }
        else
        {
            map(app);
        }

        await app.StartAsync(TestContext.Current.CancellationToken);
        return new RunningKitchen(app);
    }

    /// <summary>The document of <c>MapOpenApi</c>.</summary>
    internal async Task<JsonNode> DocumentAsync() =>
        JsonNode.Parse(await Client.GetStringAsync("/openapi/v1.json", TestContext.Current.CancellationToken))!;

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }
}
