using System.Net;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Contenders.OpenLoad;

/// <summary>The generator of an open load, in a process of its own: what the lab does at the same time does not make it late.</summary>
internal sealed class OpenLoadProgram : ContenderProgram
{
    // The first requests of a process wait for its compiler.
    private static readonly TimeSpan WarmUp = TimeSpan.FromMilliseconds(200);

    public override async Task<ControlLine> AskAsync(ControlLine request)
    {
        var server = new IPEndPoint(IPAddress.Loopback, request.Int("port"));
        using var reactor = new Reactor(server, request.Int("connections"), new ReactorOptions { IsUrgent = true });
        var model = new OpenModel(
            RequestSet.Get(request["path"]), request.Number("rate"), WarmUp + TimeSpan.FromSeconds(request.Number("seconds")), TimeSpan.FromSeconds(request.Number("patience")))
        {
            Skip = WarmUp,
        };
        var cpu = Environment.CpuUsage.TotalTime;
        await reactor.RunAsync(model, CancellationToken.None);
        var result = model.Result;
        return new ControlLine("measured")
            .With("p50", result.Response.Milliseconds(50))
            .With("p90", result.Response.Milliseconds(90))
            .With("p99", result.Response.Milliseconds(99))
            .With("max", result.Response.Milliseconds(100))
            .With("wait", result.ConnectionWait.Milliseconds(99))
            .With("late", result.Lateness.Milliseconds(99))
            .With("completed", result.Completed)
            .With("errors", result.Errors)
            .With("cpu", (Environment.CpuUsage.TotalTime - cpu).TotalSeconds);
    }
}
