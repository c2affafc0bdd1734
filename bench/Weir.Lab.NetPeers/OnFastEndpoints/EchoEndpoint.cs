using FastEndpoints;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.OnFastEndpoints;

/// <summary>Document 004's operation as an endpoint.</summary>
public sealed class EchoEndpoint : Endpoint<EchoRequest, Echo>
{
    public override void Configure()
    {
        Get("/perf/echo");
        AllowAnonymous();
    }

    public override Task HandleAsync(EchoRequest req, CancellationToken ct) => Send.OkAsync(Echo.Of(req.Name, req.X, req.Y, req.E), ct);
}
