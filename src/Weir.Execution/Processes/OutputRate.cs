namespace Weir.Execution.Processes;

/// <summary>Computes how long to pause reading a worker's output, so that it is drained at no more than a given rate.</summary>
/// <param name="bytesPerSecond">The average rate.</param>
/// <param name="burstBytes">What may be read at once after a pause.</param>
/// <param name="ticksPerSecond">The unit of the time that is passed to <see cref="Take"/>.</param>
internal sealed class OutputRate(long bytesPerSecond, long burstBytes, long ticksPerSecond)
{
    public const long DefaultBytesPerSecond = 64 * 1024 * 1024;
    public const long DefaultBurstBytes = 1024 * 1024;

    private readonly double _ticksPerByte = (double)ticksPerSecond / bytesPerSecond;
    private readonly double _burstTicks = (double)ticksPerSecond / bytesPerSecond * burstBytes;

    // The time at which everything taken so far would have been due at the plain rate; in the past while some of the burst is unused.
    private double _due = double.NegativeInfinity;

    /// <summary>Counts bytes that were read, and returns how many ticks to wait before the next read; 0 when none.</summary>
    public long Take(int bytes, long now)
    {
        _due = Math.Max(_due, now - _burstTicks) + (bytes * _ticksPerByte);
        return _due <= now ? 0 : (long)(_due - now);
    }
}
