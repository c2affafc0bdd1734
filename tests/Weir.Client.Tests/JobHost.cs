using System.Net;
using System.Security.Claims;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>A real Kestrel with this assembly's services below <c>/api</c> and their jobs below <c>/$jobs</c>, in a SQLite store that a later host on the same port continues with. The header <c>X-User</c> names the caller.</summary>
public sealed class JobHost : IAsyncLifetime
{
    private readonly string _directory = Directory.CreateTempSubdirectory("weir-client-jobs").FullName;
    private WebApplication? _app;
    private int _port;

    internal Uri Address => new($"http://127.0.0.1:{_port}/api");

    internal HttpClient Http { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        await StartAsync();
        Http = new HttpClient { BaseAddress = Address };
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await StopAsync();
        Directory.Delete(_directory, recursive: true);
    }

    internal async Task StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, _port));
        builder.Services.AddWeir();
        builder.Services.AddWeirJobs(jobs =>
        {
            jobs.UseSqlite(Path.Combine(_directory, "jobs.db"));
            jobs.DrainTimeout = TimeSpan.FromMilliseconds(100);
        });
        _app = builder.Build();
        _app.Use((http, next) =>
        {
            if (http.Request.Headers["X-User"] is [{ } user])
            {
                http.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, user)], "test"));
            }

            return next();
        });
        _app.MapWeir("/api");
        _app.MapWeirJobs();
        await _app.StartAsync();
        _port = new Uri(_app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()).Port;
    }

    internal async Task StopAsync()
    {
        await _app!.StopAsync();
        await _app.DisposeAsync();
    }

    internal IRemoteJobs<IReports> Jobs(HttpClient? http = null) => WeirClient.CreateJobs<IReports>(http ?? Http, new WeirClientOptions { JobsPath = "/$jobs" });

    /// <summary>A client of another caller.</summary>
    internal HttpClient HttpOf(string user)
    {
        var http = new HttpClient { BaseAddress = Address };
        http.DefaultRequestHeaders.Add("X-User", user);
        return http;
    }
}
