using Weir.Lab.Engine;

namespace Weir.Lab.Experiments;

/// <summary>How long contenders are warmed up that are compared with a pool: host and workers are compiled again while they run, and the first second has half their speed.</summary>
internal static class PoolWarmUp
{
    /// <summary>
    /// A warm-up of the two contenders that a promise compares. Compiling again takes one of two processors for milliseconds
    /// again and again: rounds of a tenth of a second were alike after three seconds of it.
    /// </summary>
    public static double Seconds(Scale scale) => scale.Pick(0.05, 0.4, 1.5);

    /// <summary>A warm-up of the contenders that no promise compares: in a quick run less, and once.</summary>
    public static double BesideSeconds(Scale scale) => scale.Pick(0.05, 0.15, 0.5);

    /// <summary>
    /// Warm-ups of every contender of the case, with their pauses. In a quick run three of <see cref="Seconds"/>: after two, the first round
    /// of a pool had a quarter of the rate of the next. In a full run two, which are longer.
    /// </summary>
    public static Case LikeAPool(this Case @case, Scale scale) => @case with { WarmFor = TimeSpan.FromSeconds(scale.Pick(0, 3 * Seconds(scale), 1)) };
}
