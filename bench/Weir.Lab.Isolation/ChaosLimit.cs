using System.Diagnostics;
using System.IO;

namespace Weir.Lab.Isolation;

/// <summary>
/// How long a chaos run makes calls: <c>count</c> of them at least, and until the lab has killed often enough and
/// says so by a file in <c>folder</c>; in every case for <c>seconds</c> at most.
/// </summary>
public sealed class ChaosLimit
{
    // Looking for a file costs as much as a small call.
    private const int LookInterval = 16;

    private readonly string _enough;
    private readonly long _count;
    private readonly double _seconds;
    private readonly Stopwatch _watch = Stopwatch.StartNew();

    public ChaosLimit(string folder, long count, double seconds)
    {
        _enough = Path.Combine(folder, Witness.Enough);
        _count = count;
        _seconds = seconds;
    }

    public static ChaosLimit Of(ControlLine request) =>
        new ChaosLimit(request["folder"], request.Int("count"), request.Number("seconds"));

    /// <summary>Whether the call of this number is made. May be asked concurrently.</summary>
    public bool GoesOn(long number)
    {
        if (_watch.Elapsed.TotalSeconds >= _seconds)
            return false;
        return number < _count || number % LookInterval != 0 || !File.Exists(_enough);
    }
}
