using System.Diagnostics;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>How long a program takes from being started to its first answer.</summary>
internal sealed class Startup : Experiment
{
    private const string Response = "exec to first response";
    private const string Item = "exec to first item";
    private const string Isolated = "exec to first isolated response";
    private const string Minimal = "minimal API";
    private const string OnWeir = "weir";
    private const string WithPool = "weir, a pool of one worker";
    private const string NativeMinimal = "minimal API, native";
    private const string NativeWeir = "weir, native";
    private const string Greeting = "/Hello/World";
    private const string Items = "/Weather/Next?days=2&delay=20";

    public override string Name => "startup";

    public override string Question => "From exec to the first response, to the first item of a stream, and to the first isolated response: small applications as users build them.";

    public override string? Document => null;

    public override string? QuickLeavesOut => "the applications that are published natively";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(5, 8, 360));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        yield return Case(Response, Greeting, "Hello, world", Empty());
        yield return Case(Item, Items, "[0,1]");
        yield return new Case(Isolated, [Contender(Applications[^1], "/Tasks/Double?number=21", "42", Isolated)])
        {
            Rounds = scale.Pick(1, 3, 15),
            WarmUp = false,
        };

        Case Case(string metric, string path, string answer, params Contender[] more) => new(metric,
        [
            .. more,
            .. Applications.Select(application => Contender(application, path, answer, metric)),
            .. scale == Scale.Full ? Native(path, answer, metric) : [],
        ])
        {
            Rounds = scale.Pick(1, 3, 15),
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(10),
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Ratio(
            "first response: at most 1.0 × a minimal API that uses its generator", measured[OnWeir, Response, Response], measured[Minimal, Response, Response], Relation.AtMost, 1);
        yield return Promise.Ratio(
            "first item: at most 0.95 × a minimal API that uses its generator", measured[OnWeir, Item, Item], measured[Minimal, Item, Item], Relation.AtMost, 0.95);
        yield return Promise.Ratio(
            "first inline response with a pool of one worker: at most 1.07 × without a pool", measured[WithPool, Response, Response], measured[OnWeir, Response, Response], Relation.AtMost, 1.07);
        if (scale == Scale.Full)
        {
            yield return Promise.Ratio(
                "first response, native: at most 1.0 × a minimal API", measured[NativeWeir, Response, Response], measured[NativeMinimal, Response, Response], Relation.AtMost, 1);
            yield return Promise.Ratio(
                "first item, native: at most 0.95 × a minimal API", measured[NativeWeir, Item, Item], measured[NativeMinimal, Item, Item], Relation.AtMost, 0.95);
        }
    }

    private static Application[] Applications =>
    [
        new(Minimal, BuiltPrograms.MinimalApp, []),
        new(OnWeir, BuiltPrograms.WeirApp, []),
        new(WithPool, BuiltPrograms.PoolApp, ["--Weir:PoolDefaults:MinWorkers", "1", "--Weir:PoolDefaults:MaxWorkers", "1"]),
    ];

    private static IEnumerable<Contender> Native(string path, string answer, string metric) =>
    [
        new NativeStart(NativeMinimal, "Weir.Lab.MinimalApp", path, answer, metric),
        new NativeStart(NativeWeir, "Weir.Lab.WeirApp", path, answer, metric),
    ];

    // What no program on this runtime can be faster than.
    private static FreshContender Empty() => new("floor", async cancellation =>
    {
        var began = Clock.Now;
        using var process = Process.Start("dotnet", [BuiltPrograms.Empty]);
        await process.WaitForExitAsync(cancellation);
        return new Round().Add(Response, Clock.MillisecondsBetween(began, Clock.Now), "ms");
    });

    private static FreshContender Contender(Application application, string path, string answer, string metric) => new(
        application.Name, cancellation => ColdStart.RunAsync("dotnet", [application.Path, .. application.Arguments], path, answer, metric, cancellation));

    private sealed record Application(string Name, string Path, string[] Arguments);
}
