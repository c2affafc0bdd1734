using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Fresh pools under a burst, drained at once: does one ever grow past its maximum, or say too early that all is done?</summary>
internal static class PoolBounds
{
    private const int Max = 2;
    private const int Calls = 20;

    public static Case Case(Scale scale)
    {
        var pools = scale.Pick(3, 8, 1_000);
        return new Case(Name,
        [
            FreshContender.Of("weir", ProgramLaunch.OfLab("weir-pool"), async (process, cancellation) =>
            {
                using var watch = new ChildWatch(process.Meter);
                var round = await process.RunAsync(
                    new ControlLine("bounds").With("pools", pools).With("max", Max).With("count", Calls).With("bytes", 1024), cancellation);
                return round.Add("pools", pools, "").Add("workers started", watch.Count("started", 0, double.MaxValue), "").Add("most at once", watch.Most, "");
            }),
        ])
        {
            Rounds = 1,
            WarmUp = false,
        };
    }

    public static IEnumerable<Promise> Promises(Measured measured) =>
    [
        Promise.Count($"fresh pools of {Max} never have more workers", measured["weir", Name, "most at once"], Relation.AtMost, Max),
        Promise.Count("fresh pools never end before their calls", measured["weir", Name, "drained early"], Relation.Exactly, 0),
    ];

    private static string Name => $"fresh pools under bursts of {Calls} calls";
}
