using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.Jobs.AspNetCore.Endpoints;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Http;

/// <summary>An application that serves jobs over HTTP, and its client.</summary>
internal sealed class HttpHost : IAsyncDisposable
{
    /// <summary>A caller that passes the policy of the admin endpoints.</summary>
    public const string Operator = "olga;role=operator";

    private readonly WebApplication _app;

    private HttpHost(WebApplication app)
    {
        _app = app;
        Address = new Uri(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());
        Client = NewClient();
    }

    /// <summary>What is different in one application.</summary>
    public sealed record Setup
    {
        public Board? Board { get; init; }

        public IJobStore? Store { get; init; }

        public Action<WeirJobsOptions>? Jobs { get; init; }

        public Action<WeirOptions>? Weir { get; init; }

        public Action<IServiceCollection>? Services { get; init; }

        public Action<WebApplication>? Before { get; init; }

        /// <summary>Maps everything.</summary>
        public Action<WebApplication> Map { get; init; } = static app =>
        {
            app.MapWeir();
            app.MapWeirJobs();
            app.MapWeirJobsAdmin().RequireAuthorization("operators");
        };

        public string Environment { get; init; } = Environments.Production;
    }

    public HttpClient Client { get; }

    public Uri Address { get; }

    public Board Board => Get<Board>();

    public IJobs Jobs => Get<IJobs>();

    public JobsOverHttp Http => JobsOverHttp.Of(_app.Services);

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public static async Task<HttpHost> StartAsync(Setup? setup = null)
    {
        setup ??= new Setup();
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = setup.Environment, ContentRootPath = AppContext.BaseDirectory });
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        var services = builder.Services;
        services.AddSingleton(setup.Board ?? new Board());
        services.AddWeir(weir =>
        {
            weir.RunInline = true;
            setup.Weir?.Invoke(weir);
        });
        services.AddWeirJobs(jobs =>
        {
            jobs.Store = _ => setup.Store ?? new MemoryJobStore();
            jobs.DrainTimeout = TimeSpan.FromMilliseconds(200);
            setup.Jobs?.Invoke(jobs);
        });
        services.AddAuthentication("header").AddScheme<AuthenticationSchemeOptions, HeaderAuthentication>("header", null);
        services.AddAuthorizationBuilder()
            .AddPolicy("operators", static policy => policy.RequireRole("operator"))
            .AddPolicy("callers", static policy => policy.RequireAssertion(static _ => true));
        setup.Services?.Invoke(services);
        var app = builder.Build();
        setup.Before?.Invoke(app);
        try
        {
            setup.Map(app);
            await app.StartAsync(Ct);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }

        return new HttpHost(app);
    }

    public T Get<T>()
        where T : class => _app.Services.GetRequiredService<T>();

    /// <summary>A client with connections of its own.</summary>
    public HttpClient NewClient() => new(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, UseProxy = false }) { BaseAddress = Address };

    /// <summary>Sends a request.</summary>
    /// <param name="method">The verb.</param>
    /// <param name="path">Path and query.</param>
    /// <param name="user">The caller, as <see cref="HeaderAuthentication"/> reads it; <c>null</c> for an anonymous one.</param>
    /// <param name="json">The body; <c>null</c> for none.</param>
    /// <param name="headers">More headers: <c>Name: value</c>.</param>
    public Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, string? user = null, string? json = null, params string[] headers) => SendAsync(Request(method, path, user, json, headers), Ct);

    public Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) => Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);

    public static HttpRequestMessage Request(HttpMethod method, string path, string? user = null, string? json = null, params string[] headers)
    {
        var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
        if (user is not null)
        {
            request.Headers.Add(HeaderAuthentication.Header, user);
        }

        if (json is not null)
        {
            request.Content = new StringContent(json, Encoding.UTF8, "application/json");
        }

        foreach (var header in headers)
        {
            var parts = header.Split(':', 2);
            Assert.True(request.Headers.TryAddWithoutValidation(parts[0], parts[1].Trim(' ')), header);
        }

        return request;
    }

    public Task<HttpResponseMessage> GetAsync(string path, string? user = null, params string[] headers) => SendAsync(HttpMethod.Get, path, user, null, headers);

    public Task<HttpResponseMessage> PostAsync(string path, string? user = null, string? json = null, params string[] headers) => SendAsync(HttpMethod.Post, path, user, json, headers);

    /// <summary>Submits a job, which must be accepted.</summary>
    /// <returns>Its address.</returns>
    public async Task<string> SubmitAsync(string operation, string? json = null, string? user = null, params string[] headers)
    {
        using var response = await PostAsync($"/{operation}", user, json ?? "{}", ["Prefer: respond-async", .. headers]);
        Assert.True(response.StatusCode == System.Net.HttpStatusCode.Accepted, $"{operation}: {(int)response.StatusCode} {await response.Content.ReadAsStringAsync(Ct)}");
        return response.Headers.Location!.OriginalString;
    }

    /// <summary>The job at an address.</summary>
    public async Task<JsonElement> JobAsync(string address, string? user = null)
    {
        using var response = await GetAsync(address, user);
        Assert.Equal(200, (int)response.StatusCode);
        return await JsonAsync(response);
    }

    /// <summary>Waits until a job has ended.</summary>
    public async Task<JsonElement> EndAsync(string address, string? user = null)
    {
        while (true)
        {
            using var response = await GetAsync(address, user, "Prefer: wait=60");
            Assert.Equal(200, (int)response.StatusCode);
            var job = await JsonAsync(response);
            if (job.GetProperty("ended").ValueKind != JsonValueKind.Null)
            {
                return job;
            }
        }
    }

    /// <summary>Waits until a job has a state.</summary>
    public Task StateAsync(string address, string state, string? user = null) => UntilAsync(async () => (await JobAsync(address, user)).GetProperty("state").GetString() == state);

    public static async Task UntilAsync(Func<Task<bool>> condition)
    {
        while (!await condition())
        {
            await Task.Delay(5, Ct);
        }
    }

    public static async Task<JsonElement> JsonAsync(HttpResponseMessage response) => JsonElement.Parse(await response.Content.ReadAsStringAsync(Ct));

    /// <summary>Status and code of a problem.</summary>
    public static async Task<(int Status, string? Code)> ProblemAsync(HttpResponseMessage response)
    {
        using (response)
        {
            var text = await response.Content.ReadAsStringAsync(Ct);
            Assert.True(response.Content.Headers.ContentType?.MediaType == "application/problem+json", $"{(int)response.StatusCode} {response.Content.Headers.ContentType} {text}");
            var problem = JsonElement.Parse(text);
            Assert.Equal((int)response.StatusCode, problem.GetProperty("status").GetInt32());
            return ((int)response.StatusCode, problem.GetProperty("code").GetString());
        }
    }

    public static string? Header(HttpResponseMessage response, string name) =>
        response.Headers.TryGetValues(name, out var values) || response.Content.Headers.TryGetValues(name, out values) ? string.Join(", ", values) : null;

    public Task StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }
}
