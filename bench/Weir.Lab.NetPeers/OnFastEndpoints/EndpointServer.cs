using FastEndpoints;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Weir.Lab.NetPeers.OnFastEndpoints;

/// <summary>FastEndpoints, as its documentation begins.</summary>
internal static class EndpointServer
{
    public static async Task RunAsync()
    {
        var builder = PeerLoop.CreateBuilder(HttpProtocols.Http1);
        builder.Services.AddFastEndpoints();
        var application = builder.Build();
        application.UseFastEndpoints();
        await PeerLoop.ServeAsync(application);
    }
}
