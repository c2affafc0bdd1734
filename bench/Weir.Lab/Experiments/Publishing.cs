using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What each way of publishing costs and gains, with workers.</summary>
internal sealed class Publishing : Experiment
{
    private const string Case = "published application";

    private static readonly string[] Modes = ["framework-dependent", "framework-dependent-single-file", "self-contained", "single-file", "trimmed", "native"];

    private static readonly string[] QuickModes = ["framework-dependent"];

    public override string Name => "publishing";

    public override string Question => "An application with an isolated class, published in every mode: its size, its memory, its first response, and when its worker is ready?";

    public override string? Document => null;

    public override string? QuickLeavesOut => $"modes whose publishing takes longer than what is measured of them: {string.Join(", ", Modes.Except(QuickModes))}";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(15, 9, 240));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var modes = scale.Pick([Modes[0]], QuickModes, Modes);
        yield return new Case(Case, [.. modes.Select(mode => new PublishedContender(mode, workers: scale.Pick(2, 10, 30)))])
        {
            Rounds = scale.Pick(1, 1, 11),
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(10),
        };
    }
}
