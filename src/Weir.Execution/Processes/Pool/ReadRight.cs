using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// The right to read one worker's data channel. It belongs to the worker's reader; but a thread that polls for an answer anyway reads
/// it sooner than it is told of it, and while such threads come the reader naps: to wake it for what somebody else has read already
/// would cost more than the call.
/// </summary>
/// <remarks>
/// No answer stays unread. The reader naps only while the worker has no calls, or while a burst of callers reads; whoever gives the worker
/// a call otherwise reads by itself, or calls <see cref="Wake"/>. A thread that promised to read and does something else keeps an answer
/// waiting for two naps at the most, and for a while nobody's promise counts.
/// </remarks>
/// <param name="hasCalls">Whether the worker has calls; looked at without a lock.</param>
/// <param name="time">The clock, but not of the naps: the kernel's.</param>
/// <param name="longestNap">How long the reader naps at a time; <see cref="LongestNap"/> where it is left out.</param>
internal sealed class ReadRight(Func<bool> hasCalls, TimeProvider time, TimeSpan? longestNap = null)
{
    /// <summary>Long beside a call that is worth polling for, short beside whoever notices.</summary>
    public static readonly TimeSpan LongestNap = TimeSpan.FromMilliseconds(1);

    // A burst that does not read soon has been given no processor, mostly; where a caller blocks it, it happens again at once.
    private static readonly TimeSpan BurstPenalty = 2 * LongestNap;

    // So many times the first penalty is the longest.
    private const int MostPenalties = 64;

    // Where so many answers were read in between, it is the first again: somebody needed the processor once, not always.
    private const int Forgiveness = 200;

    private readonly TimeSpan _longestNap = longestNap ?? LongestNap;

    // Held by whoever reads.
    private readonly object _right = new();

    private volatile bool _othersRead;
    private volatile bool _isNapping;
    private volatile bool _isWanted;
    private volatile bool _isHandedOver;
    private volatile bool _burstReads;
    private bool _hadBurst;             // The reader's.
    private bool _isOver;               // Under the right.

    // Until when no promise counts, for how long, and how many answers others have read since. Written without a lock: who is
    // overtaken makes a bar shorter or longer, no more.
    private long _barredUntil = long.MinValue;
    private long _penalty;
    private int _reads;

    /// <summary>Whether a thread may promise to read.</summary>
    public bool TakesPromises => Volatile.Read(ref _barredUntil) is var until && (until == long.MinValue || time.GetTimestamp() >= until);

    /// <summary>Whether the worker has calls, as it looks without a lock.</summary>
    public bool HasCalls => hasCalls();

    /// <summary>Whether a burst of callers reads, or will: then whoever gives the worker a call need not.</summary>
    public bool IsHandedOver => _isHandedOver;

    /// <summary>A burst of callers will read. The reader, within <see cref="Hold"/>; <see cref="Nap"/> follows.</summary>
    public void HandOver()
    {
        _hadBurst = true;
        _isHandedOver = true;
    }

    /// <summary>The burst reads no more. Any thread; never waits.</summary>
    public void TakeBack()
    {
        _isHandedOver = false;

        // The reader either sees this before it naps, or is seen to nap.
        Interlocked.MemoryBarrier();
        Wake();
    }

    /// <summary>The reader has the right until there is nothing more to read. Its thread, once.</summary>
    public void Hold(Action read)
    {
        lock (_right)
        {
            try
            {
                read();
            }
            finally
            {
                _isOver = true;
            }
        }
    }

    /// <summary>Leaves the reading to others for as long as they do it. The reader, within <see cref="Hold"/>, before it waits for more.</summary>
    public void Nap()
    {
        var hadBurst = _hadBurst;
        _hadBurst = false;
        if (!hadBurst && !_othersRead)
        {
            return;
        }

        // Whoever gives the worker a call either sees the nap, or is seen here.
        _isNapping = true;
        Interlocked.MemoryBarrier();

        // 1. A burst reads: what others read says nothing of it. 2. Others read for as long as they have calls. 3. A burst that has ended
        // already may have left something to do.
        if (hadBurst ? _isHandedOver : !hasCalls())
        {
            _burstReads = hadBurst;
            while ((hadBurst ? _burstReads : _othersRead) && !_isWanted)
            {
                _burstReads = _othersRead = false;
                Monitor.Wait(_right, _longestNap);
            }

            if (!_isWanted && hasCalls())
            {
                Bar(hadBurst ? BurstPenalty : SpinRule.Penalty);
            }
        }

        _isHandedOver = false;
        _isNapping = false;
        _isWanted = false;
    }

    /// <summary>The reader is wanted. Any thread; never waits.</summary>
    public void Wake()
    {
        if (!_isNapping)
        {
            return;
        }

        _isWanted = true;
        Interlocked.MemoryBarrier();
        if (Monitor.TryEnter(_right))
        {
            Monitor.Pulse(_right);
            Monitor.Exit(_right);
        }
    }

    /// <summary>
    /// A promise was not kept, or was dear: others needed the processor. For a while nobody's promise counts, and for twice as long each
    /// time that it happens again before 200 answers were read, up to 64 times as long. Any thread.
    /// </summary>
    /// <param name="penalty">How long the first time.</param>
    public void Bar(TimeSpan penalty)
    {
        var first = Ticks(penalty);
        _penalty = _penalty > 0 && _reads < Forgiveness ? Math.Clamp(2 * _penalty, first, MostPenalties * first) : first;
        _reads = 0;
        Volatile.Write(ref _barredUntil, time.GetTimestamp() + _penalty);

        long Ticks(TimeSpan span) => (long)(span.TotalSeconds * time.TimestampFrequency);
    }

    /// <summary>Another thread reads, if nobody does just now.</summary>
    /// <param name="state">Given to <paramref name="read"/>.</param>
    /// <param name="read">Reads what there is, and does not wait for more: how many bytes it read, or -1 when the reader is to see to the rest.</param>
    /// <param name="isBurst">Whether it is the burst's thread.</param>
    /// <returns>Whether it is worth to try again.</returns>
    public bool TryRead<TState>(TState state, Func<TState, int> read, bool isBurst = false)
    {
        if (!_othersRead)
        {
            _othersRead = true;
        }

        if (isBurst && !_burstReads)
        {
            _burstReads = true;
        }

        if (!Monitor.TryEnter(_right))
        {
            return false;
        }

        var count = -1;
        try
        {
            count = _isOver ? -1 : read(state);
            _reads += count > 0 ? 1 : 0;
        }
        finally
        {
            Monitor.Exit(_right);

            // Whoever wanted the reader while the right was held could not wake it.
            if (_isWanted || count < 0)
            {
                Wake();
            }
        }

        return count >= 0;
    }
}
