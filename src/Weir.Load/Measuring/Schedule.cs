namespace Weir.Load.Measuring;

/// <summary>The requests of an open load that have not been sent, in the order in which they are due; with an end.</summary>
/// <remarks>One reader at a time.</remarks>
internal sealed class Schedule
{
    private readonly Arrivals _arrivals;
    private readonly long _begin;
    private readonly long _most;
    private long _taken;

    /// <param name="arrivals">When requests are due.</param>
    /// <param name="begin">When the load begins.</param>
    /// <param name="duration">For how long requests are due.</param>
    /// <param name="most">How many requests there are at most.</param>
    public Schedule(Arrivals arrivals, long begin, TimeSpan duration, long most)
    {
        (_arrivals, _begin, _most) = (arrivals, begin, most);
        End = duration == TimeSpan.MaxValue ? long.MaxValue : begin + Stamp.Ticks(duration);
        Next = Due();
    }

    /// <summary>When the next one is due; <see cref="long.MaxValue"/> when there is none.</summary>
    public long Next { get; private set; }

    /// <summary>When the last one can be due; <see cref="long.MaxValue"/> without a duration.</summary>
    public long End { get; }

    /// <summary>Until when the requests that were taken are spread: to the end of the duration, or to when one more request would be due.</summary>
    public long EndOfShares => End != long.MaxValue ? End : Last + Stamp.Ticks(_arrivals.Share);

    /// <summary>When the last one that was taken was due.</summary>
    public long Last { get; private set; }

    /// <summary>Takes the next one.</summary>
    public long Take()
    {
        Last = Next;
        _taken++;
        Next = Due();
        return Last;
    }

    /// <summary>Takes those that are due until now.</summary>
    /// <returns>How many of them were due from <paramref name="from"/> on.</returns>
    public long TakeDue(long from, long now)
    {
        var count = 0L;
        while (Next <= now && Next != long.MaxValue)
        {
            count += Take() >= from ? 1 : 0;
        }

        return count;
    }

    private long Due()
    {
        if (_taken == _most)
        {
            return long.MaxValue;
        }

        var due = _begin + Stamp.Ticks(_arrivals.Next());
        return due < End ? due : long.MaxValue;
    }
}
