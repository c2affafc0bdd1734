using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Processes;
using Weir.Load.Requests;

namespace Weir.Lab.Experiments;

/// <summary>Document 004: the same bytes written synchronously and asynchronously, piece by piece and collected first.</summary>
internal sealed class SyncAsyncWrite : Experiment
{
    private const int Connections = 20;
    private const int Pieces = 64;

    public override string Name => "sync-async-write";

    public override string Question => "The same bytes by synchronous and asynchronous writes, buffered and unbuffered: what does a request cost?";

    public override string? Document => "004";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(12, 19, 170));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        yield return Case(shared, scale, string.Create(CultureInfo.InvariantCulture, $"1 × {Contenders.Work.Lines.Short} B"), "count=1&isLong=false");
        yield return Case(shared, scale, string.Create(CultureInfo.InvariantCulture, $"{Pieces} × 1 KB"), string.Create(CultureInfo.InvariantCulture, $"count={Pieces}&isLong=true"));
    }

    // The document shows a difference between hosts and promises nothing.
    public override IEnumerable<Promise> Promises(Measured measured, Scale scale) => [];

    private static Case Case(SharedProcesses shared, Scale scale, string name, string what) => new(name,
    [
        .. from program in (string[])["raw", "minimal"]
           from sync in (bool[])[true, false]
           from buffered in (bool[])[false, true]
           select Contender(shared, scale, Way(program == "minimal" ? "minimal API" : program, sync, buffered), program, Path(sync, buffered, what)),
        .. from sync in (bool[])[true, false]
           from buffered in (bool[])[false, true]
           select Contender(shared, scale, Way("weir", sync, buffered), "weir", $"/writes/{(sync ? "sync" : "async")}{(buffered ? "buffered" : "unbuffered")}.ndjson?{what}"),
    ])
    {
        Rounds = scale.Rounds(),
        Shared = shared,
    };

    private static HostedContender Contender(SharedProcesses shared, Scale scale, string name, string program, string path) => new(name, ProgramLaunch.OfLab(program))
    {
        Shared = shared,
        Ask = (process, cancellation) => Served.FetchAsync(process, path, cancellation)!,
        Drive = (process, cancellation) => RequestCost.MeasureAsync(process, Connections, 1, TimeSpan.FromSeconds(scale.Pick(0.2, 0.2, 2)), [path], cancellation),
        WarmUp = (process, cancellation) => Served.ClosedAsync(
            process, Connections, 1, TimeSpan.FromSeconds(scale.Pick(0.2, 0.15, 0.5)), RequestSet.Get([path]), cancellation),
    };

    private static string Way(string program, bool sync, bool buffered) => $"{program}, {(sync ? "sync" : "async")}, {(buffered ? "buffered" : "unbuffered")}";

    private static string Path(bool sync, bool buffered, string what) => $"/writes?sync={(sync ? "true" : "false")}&buffered={(buffered ? "true" : "false")}&{what}";
}
