using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.Lab.Contenders.InMemory;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Hosting;

/// <summary>A contender that is a web application on Kestrel, as <c>WebApplication.CreateBuilder</c> makes them.</summary>
internal abstract class WebProgram : ContenderProgram
{
    // Kestrel's default is 512. When a thousand callers connect at once, the kernel drops those that do not fit, and they try again after a second: that
    // would be measured in place of the server. The kernel's own limit is 4,096.
    private const int WaitingConnections = 4096;

    private readonly InMemoryTransport _memory = new();
    private WebApplication? _application;

    /// <summary>
    /// Listens on 127.0.0.1: plain HTTP/1.1 always (<c>port</c>), HTTP/2 without TLS (<c>h2c</c>) and with it (<c>tls</c>)
    /// where the settings ask for them; in memory instead with <c>transport=memory</c>. <c>minThreads</c> raises the thread
    /// pool's minimum first; <c>writeBuffer</c> is how many bytes Kestrel holds for a connection,
    /// <c>bodyLimit</c> how many it takes as one body.
    /// </summary>
    public override async Task<ControlLine> StartAsync(ControlLine settings)
    {
        if (settings.Int("minThreads", 0) is > 0 and var threads)
            RaisedMinimum.Set(threads);

        var builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = "Production" });
        builder.Logging.ClearProviders().AddProvider(new CountingLoggerProvider());
        builder.WebHost.ConfigureKestrel(options => Listen(options, settings));
        builder.WebHost.UseSockets(options =>
        {
            options.Backlog = WaitingConnections;
            if (settings.Int("writeBuffer", 0) is > 0 and var size)
                options.MaxWriteBufferSize = size;
        });
        if (settings.Is("transport", "memory"))
            builder.Services.AddSingleton<IConnectionListenerFactory>(_memory);
        Configure(builder, settings);
        _application = builder.Build();
        Map(_application, settings);
        await _application.StartAsync();
        return Ready(settings);
    }

    /// <summary>Load from inside, over the transport in memory.</summary>
    public override Task RunAsync(ControlLine request, Round round) => InMemoryLoad.RunAsync(_memory, request, round);

    public override Task<ControlLine> AskAsync(ControlLine request) => request.Verb switch
    {
        "fetch" => InMemoryLoad.FetchAsync(_memory, request),
        "browser" => BrowserPage.ReportAsync(),
        _ => base.AskAsync(request),
    };

    public override async ValueTask DisposeAsync()
    {
        if (_application is not null)
        {
            using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(1));
            await _application.StopAsync(patience.Token);
            await _application.DisposeAsync();
        }

        await base.DisposeAsync();
    }

    protected virtual void Configure(WebApplicationBuilder builder, ControlLine settings)
    {
    }

    protected abstract void Map(WebApplication application, ControlLine settings);

    private static void Listen(KestrelServerOptions options, ControlLine settings)
    {
        if (settings.Int("bodyLimit", 0) is > 0 and var bytes)
            options.Limits.MaxRequestBodySize = bytes;
        options.Listen(System.Net.IPAddress.Loopback, settings.Int("port", 0), listen => listen.Protocols = HttpProtocols.Http1);
        if (settings.Is("h2c", "1"))
            options.Listen(System.Net.IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2);
        if (settings.Is("tls", "1"))
        {
            options.Listen(System.Net.IPAddress.Loopback, 0, listen =>
            {
                listen.Protocols = HttpProtocols.Http1AndHttp2;
                listen.UseHttps(Certificate.Create());
            });
        }
    }

    private ControlLine Ready(ControlLine settings)
    {
        // In the order in which they were asked for.
        var ports = new Queue<int>(_application!.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!
            .Addresses.Select(address => new Uri(address).Port));
        var ready = new ControlLine("ready").With("port", ports.Dequeue());
        if (settings.Is("h2c", "1"))
            ready.With("h2c", ports.Dequeue());
        if (settings.Is("tls", "1"))
            ready.With("tls", ports.Dequeue());
        return ready;
    }
}
