using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using Weir.Load.Requests;

namespace Weir.Lab.Experiments;

/// <summary>What an application pays for its dashboard: for recording each request, and for those who watch.</summary>
internal sealed class DashboardCost : Experiment
{
    private const int Depth = 16;
    private const int Connections = 20;
    private const string Path = "/perf/echo?name=weir&x=1&y=2&e=Apple";
    private const string Busy = "pipelined × 16";
    private const string Idle = "without requests";
    private const string Without = "without a dashboard";
    private const string Mapped = "with a dashboard";
    private const string Acting = "with actions";
    private const string OneViewer = "1 viewer";
    private const string TenViewers = "10 viewers";
    private const string Blocked = "1,000 calls that block";
    private const string Shown = "weir ps";
    private const string Recorder = "recorder";
    private const string Ticks = "ticks of a viewer";
    private const string RecorderThread = "weir recorder";

    // In percent of one processor.
    private const double MostOfRecorder = 1;

    private const int BlockedCalls = 1_000;
    private const double MostToShow = 500;

    private static readonly TimeSpan UntilRest = TimeSpan.FromSeconds(5);

    public override string Name => "dashboard-cost";

    public override string Question => "GET Perf/Echo without a dashboard, with one, with one whose operators may act, and with 1 and 10 viewers: managed bytes and processor time of a request, and of the recorder's thread; wake-ups of an application that does nothing; how long weir ps takes beside 1,000 calls that block.";

    public override string? Document => null;

    public override string? QuickLeavesOut => "actions, viewers, the application that does nothing, and the one whose calls block";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(3, 0.9, 200));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var (duration, warmUp) = (TimeSpan.FromSeconds(scale.Pick(0.2, 0.2, 4)), TimeSpan.FromSeconds(scale.Pick(0.1, 0.1, 1)));
        yield return new Case(
            Busy,
            [
                Contender(Without, Launch("no"), 0),
                Contender(Mapped, Launch("yes"), 0),
                .. scale == Scale.Quick ? [] : new[] { Contender(Acting, Launch("acts"), 0), Contender(OneViewer, Launch("yes"), 1), Contender(TenViewers, Launch("yes"), 10) },
            ])
        {
            Rounds = scale.Pick(1, 1, 5),
        };
        if (scale == Scale.Quick)
            yield break;

        yield return new Case(Idle, [Resting(Without, Launch("no")), Resting(Mapped, Launch("yes"))])
        {
            // They only wait, so they do so beside each other.
            Rounds = 1,
            AtOnce = true,
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(3),
        };

        yield return new Case(Blocked, [new HostedContender(Mapped, Launch("yes")) { Drive = ShowAsync }]) { Rounds = scale.Pick(1, 1, 5), WarmUp = false };

        HostedContender Contender(string name, ProgramLaunch launch, int viewers) => new(name, launch)
        {
            Ask = static async (process, cancellation) => await Served.FetchAsync(process, Path, cancellation),
            Drive = (process, cancellation) => MeasureAsync(process, viewers, duration, cancellation),
            WarmUp = (process, cancellation) => Served.ClosedAsync(process, Connections, Depth, warmUp, RequestSet.Get([Path]), cancellation),
        };

        HostedContender Resting(string name, ProgramLaunch launch) => new(name, launch)
        {
            Drive = (process, cancellation) => RestAsync(process, TimeSpan.FromSeconds(scale.Pick(0.3, 5, 60)), cancellation),
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Count("recording takes no bytes of a request", measured[Mapped, Busy, RequestCost.Bytes] - measured[Without, Busy, RequestCost.Bytes], Relation.AtMost, 1);
        if (scale == Scale.Quick)
            yield break;

        yield return Promise.Count("a request that can be cancelled by an operator takes no bytes more", measured[Acting, Busy, RequestCost.Bytes] - measured[Without, Busy, RequestCost.Bytes], Relation.AtMost, 1);
        foreach (var (name, most) in new[] { (Mapped, 1.03), (Acting, 1.03), (OneViewer, 1.05), (TenViewers, 1.1) })
        {
            yield return Promise.Ratio(
                FormattableString.Invariant($"{name}: processor time of a request at most {most} ×"), measured[name, Busy, RequestCost.Cpu], measured[Without, Busy, RequestCost.Cpu], Relation.AtMost, most);
            yield return Promise.Count(FormattableString.Invariant($"{name}: the recorder takes at most {MostOfRecorder} % of a processor"), measured[name, Busy, Recorder], Relation.AtMost, MostOfRecorder);
        }

        yield return Promise.Count("a viewer gets at least 0.95 ticks a second beside the load", measured[TenViewers, Busy, Ticks], Relation.AtLeast, 0.95);
        yield return Promise.Count(FormattableString.Invariant($"weir ps takes at most {MostToShow} ms beside {BlockedCalls} calls that block"), measured[Mapped, Blocked, Shown], Relation.AtMost, MostToShow);
        yield return Promise.Count("the recorder of an application that does nothing does not wake up", measured[Mapped, Idle, "wake-ups of the recorder"], Relation.AtMost, 0);
    }

    // All check policies, so that they differ in nothing else.
    private static ProgramLaunch Launch(string dashboard) => ProgramLaunch.OfLab("weir", "authorization=yes", $"dashboard={dashboard}");

    private static async Task<Round> MeasureAsync(ContenderProcess process, int viewers, TimeSpan duration, CancellationToken cancellation)
    {
        await using var watching = await DashboardViewers.StartAsync(process, viewers, cancellation);
        var (cpu, began) = (process.Meter.CpuSecondsOf(RecorderThread), Clock.Now);
        var round = await RequestCost.MeasureAsync(process, Connections, Depth, duration, [Path], cancellation);
        var seconds = Clock.SecondsSince(began);
        round.Add(Recorder, 100 * (process.Meter.CpuSecondsOf(RecorderThread) - cpu) / seconds, "%");
        return viewers == 0 ? round : round.Add(Ticks, watching.TicksPerSecond, "1/s");
    }

    private static async Task<Round> ShowAsync(ContenderProcess process, CancellationToken cancellation)
    {
        using var blocked = await BlockedApplication.StartAsync(process, BlockedCalls, TimeSpan.FromSeconds(10), cancellation);
        return new Round().Add(Shown, await blocked.ShowAsync(cancellation), "ms");
    }

    private static async Task<Round> RestAsync(ContenderProcess process, TimeSpan time, CancellationToken cancellation)
    {
        _ = await Served.FetchAsync(process, Path, cancellation);
        await Task.Delay(UntilRest, cancellation);
        var waits = process.Meter.WaitsOf(RecorderThread);
        var idle = await Idleness.OverAsync(process.Meter, time, cancellation);
        return new Round()
            .Add("wake-ups of the recorder", process.Meter.WaitsOf(RecorderThread) - waits, "")
            .Add("wake-ups", idle.Wakeups, "1/s")
            .Add("CPU", idle.CpuMilliseconds, "ms/s")
            .Add("resident", process.Meter.Resident / 1e6, "MB");
    }
}
