namespace Weir.Execution.Inline;

/// <summary>
/// How often one operation blocked its thread, which of its calls are measured, and when it is reported: rules without a clock. Used by all
/// threads that run the operation; where two of them count at once, one measurement more or less is taken.
/// </summary>
/// <param name="threshold">A call that blocks its thread for less is not counted.</param>
internal sealed class BlockedCalls(TimeSpan threshold)
{
    /// <summary>
    /// How many calls are measured after one that took long. A measurement costs some ten microseconds: 64 of them take about a millisecond,
    /// where the call that took long has cost its thread at least the threshold.
    /// </summary>
    public const int MostMeasured = 64;

    /// <summary>An operation is reported when this many of its calls blocked, with less than <see cref="MostMeasured"/> others between them.</summary>
    public const int Enough = 3;

    private int _left;
    private int _blocked;
    private long _count;
    private bool _isReported;

    /// <summary>Whether the next call is to be measured.</summary>
    public bool IsMeasured => Volatile.Read(ref _left) > 0;

    /// <summary>Calls that blocked their thread.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>A call that was not measured took the threshold or longer: perhaps it blocked, so the next ones are measured.</summary>
    public void TookLong() => Volatile.Write(ref _left, MostMeasured);

    /// <summary>A measured call has returned.</summary>
    /// <param name="own">How long it took, without the calls inside it that took long themselves.</param>
    /// <param name="spent">Where its time went; <c>null</c> where it was too short to block.</param>
    /// <returns>Whether the operation is to be reported now: once.</returns>
    public bool Add(TimeSpan own, ThreadTimes? spent)
    {
        if (spent is null || !IsBlocked(own, spent))
        {
            if (Interlocked.Decrement(ref _left) <= 0)
            {
                Volatile.Write(ref _blocked, 0);
            }

            return false;
        }

        TookLong();
        Interlocked.Increment(ref _count);
        return Interlocked.Increment(ref _blocked) >= Enough && !Interlocked.Exchange(ref _isReported, true);
    }

    // What is left of the time when the thread wanted no processor. A thread that never gave its processor back did not wait for anything:
    // where its time is missing nevertheless, the machine itself was stopped.
    private bool IsBlocked(TimeSpan own, ThreadTimes spent)
    {
        var time = own - spent.Queued - spent.Paused;
        return time >= threshold && spent.Turns > 0 && 4 * spent.Processor <= time;
    }
}
