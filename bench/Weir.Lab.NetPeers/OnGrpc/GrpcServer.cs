using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Lab.NetPeers.OnGrpc;

/// <summary>gRPC over HTTP/2 without TLS.</summary>
internal static class GrpcServer
{
    public static async Task RunAsync()
    {
        var builder = PeerLoop.CreateBuilder(HttpProtocols.Http2);
        builder.Services.AddGrpc();
        var application = builder.Build();
        application.MapGrpcService<PerfService>();
        await PeerLoop.ServeAsync(application);
    }
}
