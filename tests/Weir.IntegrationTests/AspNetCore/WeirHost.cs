using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.Runtime;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>A real Kestrel with one service <c>Probe</c>, on HTTP/1.1 and on HTTP/2 without TLS.</summary>
internal sealed class WeirHost : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly SocketsHttpHandler _handler = new() { AllowAutoRedirect = false, ResponseDrainTimeout = TimeSpan.Zero };

    private WeirHost(WebApplication app, RecordedLog log)
    {
        _app = app;
        Log = log;
        var addresses = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.ToArray();
        Http1 = new Uri(addresses[0]);
        Http2 = new Uri(addresses[1]);
        Tls = addresses.Length > 2 ? new Uri(addresses[2]) : null;
        Client = new HttpClient(_handler, disposeHandler: false) { BaseAddress = Http1 };
        Client2 = new HttpClient(_handler, disposeHandler: false)
        {
            BaseAddress = Http2,
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
    }

    internal Uri Http1 { get; }

    internal Uri Http2 { get; }

    /// <summary>A third listener, where the setup has added one.</summary>
    internal Uri? Tls { get; }

    /// <summary>Speaks HTTP/1.1.</summary>
    internal HttpClient Client { get; }

    /// <summary>Speaks HTTP/2.</summary>
    internal HttpClient Client2 { get; }

    internal RecordedLog Log { get; }

    internal WeirRuntime Runtime => _app.Services.GetRequiredService<WeirRuntime>();

    internal static Task<WeirHost> StartAsync(params Operation[] operations) => StartAsync(null, operations);

    internal static Task<WeirHost> StartAsync(Action<WeirServerOptions>? options, params Operation[] operations) =>
        StartAsync(new Setup { Options = options, Catalogs = [new ProbeCatalog(operations)] });

    internal static async Task<WeirHost> StartAsync(Setup setup)
    {
        var log = new RecordedLog();
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders().AddProvider(log);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1);
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2);
        });
        builder.Services.AddWeirCatalogs("Weir.IntegrationTests", setup.Catalogs, options =>
        {
            // The machine may be busy, and operations of tests wait for each other: warnings of that are logged where a test asks for them.
            (options.BlockingThreshold, options.StarvationThreshold) = (null, null);
            setup.Weir(options);
        });
        builder.Services.AddWeirServer(setup.Options);
        if (setup.HasPolicyServices)
        {
            // Some of this assembly's services have policies: a host that does not use them is not warned of it.
            builder.Services.AddRateLimiter(static _ => { });
            builder.Services.AddOutputCache();
            builder.Services.AddRequestTimeouts();
        }

        setup.Services?.Invoke(builder);
        var app = builder.Build();
        setup.Before?.Invoke(app);
        IEndpointConventionBuilder mapped = setup.Prefix is { } prefix ? app.MapWeir(prefix) : app.MapGroup("");
        setup.After?.Invoke(app, mapped);
        await app.StartAsync();
        return new WeirHost(app, log);
    }

    /// <summary>Shuts it down, as the end of the application does.</summary>
    internal Task StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        Client2.Dispose();
        _handler.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    /// <summary>What a test wants to differ.</summary>
    internal sealed class Setup
    {
        internal IReadOnlyList<ServiceCatalog> Catalogs { get; init; } = [];

        internal Action<WeirServerOptions>? Options { get; init; }

        internal Action<WeirOptions> Weir { get; init; } = static options => options.RunInline = true;

        internal Action<WebApplicationBuilder>? Services { get; init; }

        internal Action<WebApplication>? Before { get; init; }

        internal Action<WebApplication, IEndpointConventionBuilder>? After { get; init; }

        /// <summary>Where all services are mapped; <c>null</c> where the test maps them.</summary>
        internal string? Prefix { get; init; } = "";

        internal bool HasPolicyServices { get; init; } = true;
    }
}

internal sealed class ProbeCatalog(Func<IReadOnlyList<object>>? metadata, params Operation[] operations) : ServiceCatalog
{
    internal ProbeCatalog(params Operation[] operations)
        : this(null, operations)
    {
    }

    public override string AssemblyName => "Weir.IntegrationTests";

    public override Guid Identity => Guid.Empty;

    public override IReadOnlyList<Service> Services { get; } =
        [new Service { Name = "Probe", TypeName = "Probe", CreateInstance = static _ => new object(), IsShared = true, EndpointMetadata = metadata, Operations = operations }];

    public override IReadOnlyList<Proxy> Proxies => [];
}
