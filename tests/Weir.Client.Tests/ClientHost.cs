using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Weir.Client.Tests;

/// <summary>A real Kestrel with this assembly's services below <c>/api</c>, on HTTP/1.1 and on HTTP/2 without TLS.</summary>
public sealed class ClientHost : IAsyncLifetime
{
    private WebApplication _app = null!;

    internal HttpClient Http { get; private set; } = null!;

    internal HttpClient Http2 { get; private set; } = null!;

    internal Uri Address { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(static kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http1);
            kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http2);
        });
        builder.Services.AddWeir();
        _app = builder.Build();
        _app.MapWeir("/api");
        await _app.StartAsync();
        var addresses = _app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.ToArray();
        // Without a slash at its end, as people write it.
        Address = new Uri(addresses[0] + "/api");
        Http = new HttpClient { BaseAddress = Address };
        Http2 = new HttpClient
        {
            BaseAddress = new Uri(addresses[1] + "/api/"),
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        Http2.Dispose();
        await _app.DisposeAsync();
    }

    internal T Client<T>(WeirClientOptions? options = null)
        where T : class => WeirClient.Create<T>(Http, options);
}
