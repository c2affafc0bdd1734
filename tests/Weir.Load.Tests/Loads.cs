using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Weir.Load.Clients;
using Weir.Load.Connecting;
using Weir.Load.Raw;

namespace Weir.Load.Tests;

/// <summary>Whole load tests over a chosen engine, and a server for them.</summary>
internal static class Loads
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>Whether the engine is the one on epoll.</summary>
    public static TheoryData<bool> Engines => OperatingSystem.IsLinux() ? [true, false] : [false];

    /// <summary>Runs a test as <see cref="LoadTest"/> does it, with an engine of the test's choice.</summary>
    public static async Task<LoadReport> RunAsync(bool isRaw, LoadOptions options, CancellationToken? cancellation = null, CancellationToken stopping = default)
    {
        options.Check();
        var token = cancellation ?? Token;
        var server = await ServerAddress.FindAsync(options, token);
        using ILoadEngine engine = isRaw ? new RawEngine(options, server, token) : new ClientEngine(options, server);
        return await LoadRun.RunAsync(options, engine, progress: null, stopping, token);
    }

    /// <summary>Waits until a condition holds, for ten seconds at most.</summary>
    public static async Task UntilAsync(Func<bool> condition)
    {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(10), "it did not happen within 10 s");
            await Task.Delay(5, Token);
        }
    }

    /// <summary>Starts Kestrel on a free port.</summary>
    public static async Task<WebApplication> StartAsync(HttpProtocols protocols = HttpProtocols.Http1)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocols));
        var app = builder.Build();
        app.MapMethods("/hello", ["GET", "HEAD"], static () => "Hello");
        app.MapGet("/protocol", static (HttpRequest request) => request.Protocol);
        app.MapGet("/busy", static () => Results.StatusCode(503));
        app.MapGet("/lines", static async (HttpResponse response, int count, int ms, CancellationToken cancellation) =>
        {
            response.ContentType = "application/x-ndjson";
            for (var i = 0; i < count; i++)
            {
                await response.WriteAsync($"{{\"id\":{i}}}\n", cancellation);
                await response.Body.FlushAsync(cancellation);
                await Task.Delay(ms, cancellation);
            }
        });
        await app.StartAsync(Token);
        return app;
    }

    /// <summary>The address of a path there.</summary>
    public static Uri AddressOf(WebApplication app, string path) =>
        new(new Uri(((IApplicationBuilder)app).ServerFeatures.Get<IServerAddressesFeature>()!.Addresses.Single()), path);
}
