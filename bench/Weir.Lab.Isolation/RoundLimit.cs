using System.Diagnostics;

namespace Weir.Lab.Isolation;

/// <summary>How long a round begins tasks: until so many were begun (<c>count</c>), or for so long (<c>seconds</c>).</summary>
/// <remarks>By time where the rate is not known: a count that suits one contender does not suit another.</remarks>
public sealed class RoundLimit
{
    /// <summary>The first capacity of a list of tasks: enough not to grow during a round.</summary>
    public const int Expected = 1 << 20;

    private readonly long _count;
    private readonly double _seconds;

    public RoundLimit(long count, double seconds)
    {
        _count = count;
        _seconds = seconds;
    }

    /// <summary>The limit that a request names.</summary>
    public static RoundLimit Of(ControlLine request) =>
        new RoundLimit(request.Int("count", int.MaxValue), request.Number("seconds", double.PositiveInfinity));

    /// <summary>Whether another one is begun. The first always is.</summary>
    public bool GoesOn(long begun, Stopwatch watch) =>
        begun == 0 || (begun < _count && (double.IsPositiveInfinity(_seconds) || watch.Elapsed.TotalSeconds < _seconds));
}
