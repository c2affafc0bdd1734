using System.Runtime;
using System.Runtime.InteropServices;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Hosting;

/// <summary>Runs a contender's program until the lab closes its input.</summary>
internal static class ContenderHost
{
    public static async Task RunAsync(ContenderProgram program, ControlLine settings)
    {
        await using (program)
        {
            var ready = await program.StartAsync(settings);
            ready.With("runtime", RuntimeInformation.FrameworkDescription).With("gc", GCSettings.IsServerGC ? "server" : "workstation");
            ContenderLoop.Run(ready, request => Answer(program, request).GetAwaiter().GetResult());
        }
    }

    private static async Task<IEnumerable<ControlLine>> Answer(ContenderProgram program, ControlLine request) => request.Verb switch
    {
        "run" => await RoundAsync(program, request),
        "counters" => [Counters.OfThisProcess().ToLine()],
        "production" => [Production.Line()],
        "collect" => [Collect()],
        "heap" => [new ControlLine("ok").With("bytes", GC.GetTotalMemory(forceFullCollection: false))],
        _ => await program.LinesAsync(request),
    };

    private static async Task<IEnumerable<ControlLine>> RoundAsync(ContenderProgram program, ControlLine request)
    {
        var round = new Round();
        await program.RunAsync(request, round);
        return
        [
            .. round.Readings.Select(reading => Readings.Reading(reading.Metric, reading.Value, reading.Unit)),
            .. round.Timeline.Select(item => new ControlLine("event").With("at", item.Seconds).With("what", item.What).With("value", item.Value)),
            Readings.Done(),
        ];
    }

    // As document 000 did before it read the size of the heap.
    private static ControlLine Collect()
    {
        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: false);
        return new ControlLine("ok").With("bytes", GC.GetTotalMemory(forceFullCollection: false));
    }
}
