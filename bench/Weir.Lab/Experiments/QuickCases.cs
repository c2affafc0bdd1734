using Weir.Lab.Engine;

namespace Weir.Lab.Experiments;

/// <summary>How a quick run spends its few minutes: on the contenders that a promise is about.</summary>
internal static class QuickCases
{
    /// <summary>The least that a promise about a ratio needs to have the same result in the next run.</summary>
    public const int PromisedRounds = 3;

    // Tiered compilation has the last word after about a second of work and pauses.
    private static readonly TimeSpan Promised = TimeSpan.FromSeconds(0.5);

    /// <summary>
    /// A case whose contenders are measured alike, except in a quick run: there those that no ratio is promised about run
    /// first, in a case of the same name, warmed up once and measured once.
    /// </summary>
    public static IEnumerable<Case> Deciding(this Case @case, Scale scale, params IReadOnlyCollection<string> promised)
    {
        if (scale != Scale.Quick)
            return [@case with { WarmFor = scale == Scale.Tiny ? TimeSpan.Zero : Promised }];

        return @case.OthersOnce(promised, PromisedRounds);
    }

    /// <summary>The same where a round takes so long that those nothing is promised about are measured once in a full run too.</summary>
    public static IEnumerable<Case> DecidingAtLength(this Case @case, Scale scale, params IReadOnlyCollection<string> promised) =>
        scale == Scale.Full ? @case.OthersOnce(promised, @case.Rounds) : @case.Deciding(scale, promised);

    private static IEnumerable<Case> OthersOnce(this Case @case, IReadOnlyCollection<string> promised, int rounds)
    {
        var others = @case with
        {
            Contenders = [.. @case.Contenders.Where(contender => !promised.Contains(contender.Name))],
            Rounds = 1,
        };
        var decisive = @case with
        {
            Contenders = [.. @case.Contenders.Where(contender => promised.Contains(contender.Name))],
            Rounds = rounds,
            WarmFor = Promised,
        };
        return others.Contenders.Count == 0 ? [decisive] : [others, decisive with { Given = [] }];
    }
}
