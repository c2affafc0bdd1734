using Weir.Lab.Isolation;
using Weir.Lab.NetPeers.Calling;
using Weir.Lab.NetPeers.OnFastEndpoints;
using Weir.Lab.NetPeers.OnGrpc;
using Weir.Lab.NetPeers.OnHangfire;
using Weir.Lab.NetPeers.OnStreamJsonRpc;

// How the lab starts contenders on .NET that need packages: NAME key=value…
var settings = new ControlLine("start");
foreach (var setting in args.Skip(1))
{
    var parts = setting.Split('=', 2);
    settings.With(parts[0], parts.ElementAtOrDefault(1) ?? "");
}

await (args.FirstOrDefault() switch
{
    "caller" => Caller.RunAsync(settings),
    "fastendpoints" => EndpointServer.RunAsync(),
    "grpc" => GrpcServer.RunAsync(),
    "grpc-client" => GrpcLoad.RunAsync(settings),
    "hangfire" => Task.Run(() => HangfirePeer.Run(settings)),
    "jsonrpc" => RpcPool.RunAsync(settings),
    "jsonrpc-worker" => RpcWorker.RunAsync(settings),
    var other => throw new ArgumentException($"There is no peer '{other}'."),
});
