using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What the generator and the analyzers add to the build of an application with many operations.</summary>
internal sealed class BuildTime : Experiment
{
    private const string Served = "weir";
    private const string Plain = "without weir";
    private const int Usual = 50;
    private const int Large = 1_000;

    public override string Name => "build";

    public override string Question => "How long does an application with 50 and with 1,000 operations build, against the same classes without Weir?";

    public override string? Document => null;

    public override string? QuickLeavesOut => $"the application with {Large:N0} operations, of which a round takes half a minute";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(60, 29, 300));

    public override IEnumerable<Case> Cases(Scale scale) => Sizes(scale).Select(operations =>
        new Case(CaseName(operations), [new BuiltContender(Plain, operations, isServed: false), new BuiltContender(Served, operations, isServed: true)])
        {
            Rounds = scale.Pick(1, QuickCases.PromisedRounds, 5),
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(10),
        });

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var @case in Sizes(scale).Select(CaseName))
        {
            yield return Promise.Ratio(
                $"{@case}: a clean build takes at most 1.3 × that of the same classes without Weir",
                measured[Served, @case, BuiltContender.CleanBuild], measured[Plain, @case, BuiltContender.CleanBuild], Relation.AtMost, 1.3);
            yield return Promise.Ratio(
                $"{@case}: a build after an edit of another file takes at most 1.1 × that without Weir",
                measured[Served, @case, BuiltContender.UnrelatedEdit], measured[Plain, @case, BuiltContender.UnrelatedEdit], Relation.AtMost, 1.1);
        }
    }

    // A service of usual size, and a large application in one project.
    private static int[] Sizes(Scale scale) => scale.Pick<int[]>([20], [Usual], [Usual, Large]);

    private static string CaseName(int operations) => string.Create(CultureInfo.InvariantCulture, $"{operations:N0} operations");
}
