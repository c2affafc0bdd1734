using Grpc.Core;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.OnGrpc;

/// <summary>Document 004's operation as a unary call.</summary>
internal sealed class PerfService : Perf.PerfBase
{
    public override Task<EchoReply> Echo(EchoMessage request, ServerCallContext context)
    {
        var echo = Contenders.Work.Echo.Of(request.Name, request.X, request.Y, (Fruit)request.E);
        return Task.FromResult(new EchoReply { Name = echo.Name, Sum = echo.Sum });
    }
}
