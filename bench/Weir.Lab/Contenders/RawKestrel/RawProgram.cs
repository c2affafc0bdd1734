using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.InMemory;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>Kestrel with nothing on top of it: the floor of everything that is served over HTTP here.</summary>
internal sealed class RawProgram : ContenderProgram
{
    private readonly InMemoryTransport _memory = new();
    private KestrelServer? _server;

    public override async Task<ControlLine> StartAsync(ControlLine settings)
    {
        var options = new KestrelServerOptions { ApplicationServices = new ServiceCollection().AddLogging().BuildServiceProvider() };
        options.Listen(IPAddress.Loopback, settings.Int("port", 0), listen => listen.Protocols = HttpProtocols.Http1);
        IConnectionListenerFactory transport = settings.Is("transport", "memory")
            ? _memory
            : new SocketTransportFactory(Options.Create(new SocketTransportOptions()), NullLoggerFactory.Instance);
        _server = new KestrelServer(Options.Create(options), transport, NullLoggerFactory.Instance);
        await _server.StartAsync(new RawApplication(), CancellationToken.None);
        var address = _server.Features.Get<IServerAddressesFeature>()!.Addresses.First();
        return new ControlLine("ready").With("port", new Uri(address).Port);
    }

    public override Task RunAsync(ControlLine request, Round round) => InMemoryLoad.RunAsync(_memory, request, round);

    public override Task<ControlLine> AskAsync(ControlLine request) =>
        request.Verb == "fetch" ? InMemoryLoad.FetchAsync(_memory, request) : base.AskAsync(request);

    public override async ValueTask DisposeAsync()
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        if (_server is not null)
            await _server.StopAsync(patience.Token);
        _server?.Dispose();
        await base.DisposeAsync();
    }
}
