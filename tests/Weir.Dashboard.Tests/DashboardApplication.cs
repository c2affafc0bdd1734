using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Weir.Dashboard.Tests;

/// <summary>An application with a dashboard, on a free port.</summary>
internal sealed class DashboardApplication : IAsyncDisposable
{
    /// <summary>The header that names a caller: <c>operator</c> passes the policy, everyone else does not.</summary>
    public const string User = "X-User";

    private readonly WebApplication _app;

    private DashboardApplication(WebApplication app, Lines log)
    {
        (_app, Log) = (app, log);
        Address = new Uri(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());
        Client = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, UseProxy = false }) { BaseAddress = Address };
    }

    public Uri Address { get; }

    public HttpClient Client { get; }

    /// <summary>Warnings and errors.</summary>
    public Lines Log { get; }

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    /// <summary>Starts one.</summary>
    /// <param name="environment">Of the host.</param>
    /// <param name="map">Maps the dashboard.</param>
    /// <param name="services">Adds services.</param>
    public static async Task<DashboardApplication> StartAsync(string environment, Action<WebApplication> map, Action<IServiceCollection>? services = null)
    {
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = environment, ContentRootPath = AppContext.BaseDirectory });
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var log = new Lines();
        builder.Logging.ClearProviders().AddProvider(log);
        builder.Services.AddWeir(static weir =>
        {
            (weir.Pool("crashing").MinWorkers, weir.Pool("crashing").MaxWorkers, weir.Pool("crashing").CancelGrace) = (0, 1, TimeSpan.FromSeconds(1));
            (weir.Pool("images").MinWorkers, weir.Pool("images").MaxWorkers, weir.Pool("images").IdleTimeout) = (0, 3, TimeSpan.FromSeconds(3));
            (weir.Pool("hoarding").MinWorkers, weir.Pool("hoarding").MaxWorkers, weir.Pool("hoarding").MemoryLimitBytes, weir.Pool("hoarding").IdleTimeout) = (0, 1, 256 << 20, null);
        });
        builder.Services.AddAuthentication("header").AddScheme<AuthenticationSchemeOptions, HeaderAuthentication>("header", null);
        builder.Services.AddAuthorizationBuilder().AddPolicy("operators", static policy => policy.RequireClaim(ClaimTypes.Name, "operator"));
        services?.Invoke(builder.Services);
        var app = builder.Build();
        try
        {
            app.MapWeir();
            map(app);
            await app.StartAsync(Ct);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }

        return new DashboardApplication(app, log);
    }

    /// <summary>One for development, with the dashboard at its usual path.</summary>
    public static Task<DashboardApplication> StartAsync() => StartAsync(Environments.Development, static app => app.MapWeirDashboard());

    /// <summary>One for development, with jobs.</summary>
    /// <param name="servesAdmin">Whether their admin API is served, to those who pass the policy.</param>
    public static Task<DashboardApplication> StartWithJobsAsync(bool servesAdmin = true) => StartAsync(
        Environments.Development,
        app =>
        {
            app.MapWeirDashboard();
            app.MapWeirJobs();
            if (servesAdmin)
            {
                app.MapWeirJobsAdmin().RequireAuthorization("operators");
            }
        },
        static services => services.AddWeirJobs(static jobs => jobs.UseMemory()));

    /// <summary>The addresses of all endpoints of the dashboard.</summary>
    public IReadOnlyList<string> Routes() =>
    [
        .. _app.Services.GetRequiredService<EndpointDataSource>().Endpoints.OfType<RouteEndpoint>()
            .Where(static endpoint => endpoint.DisplayName?.StartsWith("Weir dashboard", StringComparison.Ordinal) == true)
            .Select(static endpoint => endpoint.RoutePattern.RawText!.Replace("{id}", "some-id", StringComparison.Ordinal)
                .Replace("{hash}", "some-hash", StringComparison.Ordinal).Replace("{name}", "some-name", StringComparison.Ordinal)),
    ];

    /// <summary>One of its pools.</summary>
    public WorkerPool Pool(string name) => _app.Services.GetRequiredService<WeirRuntime>().GetPool(name);

    /// <summary>Sends a request.</summary>
    public async Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
        foreach (var (name, value) in headers)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return await Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Ct);
    }

    /// <summary>A service of the application.</summary>
    public T Get<T>()
        where T : notnull => _app.Services.GetRequiredService<T>();

    /// <summary>The record of this moment.</summary>
    public Task<JsonElement> SnapshotAsync() => ReadAsync("snapshot");

    /// <summary>JSON of the dashboard.</summary>
    public async Task<JsonElement> ReadAsync(string path) => JsonElement.Parse(await Client.GetStringAsync(new Uri($"/weir/{path}", UriKind.Relative), Ct));

    /// <summary>Stops the application.</summary>
    public Task StopAsync() => _app.StopAsync(Ct);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.DisposeAsync();
    }

    // A caller that is named is authenticated.
    private sealed class HeaderAuthentication(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory loggers, UrlEncoder encoder) : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(
            Request.Headers[User].ToString() is { Length: > 0 } name
                ? AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], Scheme.Name)), Scheme.Name))
                : AuthenticateResult.NoResult());
    }
}
