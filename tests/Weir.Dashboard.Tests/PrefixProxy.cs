using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Weir.Dashboard.Tests;

/// <summary>A proxy that removes <c>/ops</c> from the front of each path and says nothing of it, as many do.</summary>
internal sealed class PrefixProxy : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly HttpClient _client;

    private PrefixProxy(WebApplication app, HttpClient client)
    {
        (_app, _client) = (app, client);
        Address = new Uri(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());
    }

    public Uri Address { get; }

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    /// <summary>Starts one before an application.</summary>
    public static async Task<PrefixProxy> StartAsync(Uri application)
    {
        var client = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseProxy = false }) { BaseAddress = application };
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.MapGet("/ops/{**rest}", async (HttpContext http) =>
        {
            using var answer = await client.GetAsync(new Uri(http.Request.Path.Value!["/ops".Length..] + http.Request.QueryString, UriKind.Relative), HttpCompletionOption.ResponseHeadersRead, http.RequestAborted);
            http.Response.StatusCode = (int)answer.StatusCode;
            http.Response.Headers.Location = answer.Headers.TryGetValues("Location", out var location) ? location.First() : default;
            http.Response.ContentType = answer.Content.Headers.ContentType?.ToString();
            await answer.Content.CopyToAsync(http.Response.Body, http.RequestAborted);
        });
        await app.StartAsync(Ct);
        return new PrefixProxy(app, client);
    }

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync();
        _client.Dispose();
    }
}
