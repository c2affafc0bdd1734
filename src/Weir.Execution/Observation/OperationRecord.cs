using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Weir.Execution.Observation;

/// <summary>What is counted of the calls of one operation since recording began. Any thread; counting allocates nothing.</summary>
/// <param name="operation">The operation.</param>
internal sealed class OperationRecord(Operation operation)
{
    // Of calls on their callers' flow, which code makes by the million, one of so many is timed. A power of two.
    private const int TimedEvery = 64;

    private static readonly int Statuses = Enum.GetValuesAsUnderlyingType<CallStatus>().Length;

    // Interlocked. By status, but for those that succeeded: they are in the buckets, or counted as untimed.
    private readonly long[] _failures = new long[Statuses];

    // Calls on their callers' flow, and those of them that are timed.
    private long _onFlow;
    private long _timedOnFlow;

    // One for each stripe of processors, so that they seldom write the same cache line. Interlocked.
    private readonly PhaseSums[] _sums = new PhaseSums[LatencyBuckets.DefaultStripes];

    public Operation Operation => operation;

    /// <summary>Whether a request of it does nothing beside which reading the clock for each phase would count: it runs on its caller's flow, and has one result and no filter.</summary>
    public bool IsPlain { get; } = operation.Placement == Placement.Inline && operation.ResultKind != ResultKind.Stream && operation.Filters.Count == 0;

    /// <summary>How long the timed calls took, whatever their outcome.</summary>
    public LatencyBuckets Latency { get; } = new();

    /// <summary>Calls that are worth a look.</summary>
    public KeptCalls Kept { get; } = new();

    /// <summary>Calls that were counted and not timed.</summary>
    public long Untimed => Volatile.Read(ref _onFlow) - Volatile.Read(ref _timedOnFlow);

    /// <summary>The time that its timed calls spent in each phase, together. Plain ones are sampled: each stands for those beside it.</summary>
    public PhaseTimes Sums
    {
        get
        {
            var (bind, filters, queue, run, write) = (0L, 0L, 0L, 0L, 0L);
            foreach (ref var sums in _sums.AsSpan())
            {
                bind += Volatile.Read(ref sums.Bind);
                filters += Volatile.Read(ref sums.Filters);
                queue += Volatile.Read(ref sums.Queue);
                run += Volatile.Read(ref sums.Run);
                write += Volatile.Read(ref sums.Write);
            }

            return new(new(bind), new(filters), new(queue), new(run), new(write));
        }
    }

    /// <summary>Calls that ended with a status other than <see cref="CallStatus.Ok"/>.</summary>
    public long Failures(CallStatus status) => Volatile.Read(ref _failures[(int)status]);

    /// <summary>All of them.</summary>
    public long AllFailures()
    {
        var sum = 0L;
        for (var i = 0; i < _failures.Length; i++)
        {
            sum += Volatile.Read(ref _failures[i]);
        }

        return sum;
    }

    /// <summary>A call on its caller's flow begins.</summary>
    /// <returns>Whether it is timed; the others are counted here.</returns>
    public bool TakesTimeOf()
    {
        if ((Interlocked.Increment(ref _onFlow) & (TimedEvery - 1)) != 1)
        {
            return false;
        }

        // The buckets count it.
        Interlocked.Increment(ref _timedOnFlow);
        return true;
    }

    /// <summary>The longest call since the last reading, and begins again.</summary>
    public TimeSpan TakeLongest()
    {
        var longest = 0L;
        foreach (ref var sums in _sums.AsSpan())
        {
            longest = Math.Max(longest, Interlocked.Exchange(ref sums.Longest, 0));
        }

        return new(longest);
    }

    /// <summary>A call that is not timed has failed.</summary>
    public void Failed(Exception failure) => Interlocked.Increment(ref _failures[(int)CallOutcome.StatusOf(failure)]);

    /// <summary>A timed call has ended.</summary>
    /// <param name="times">Where its time went.</param>
    /// <param name="weight">For how many calls its phases count; 0 where they are not known.</param>
    /// <param name="failure">What its caller gets; <c>null</c> for a result.</param>
    /// <param name="trace">Its trace.</param>
    /// <param name="processId">The worker that had it; 0 for none.</param>
    /// <param name="time">The clock.</param>
    public void Ended(PhaseTimes times, int weight, Exception? failure, ActivityTraceId trace, int processId, TimeProvider time)
    {
        var total = times.Total;
        Latency.Add(total);
        ref var sums = ref _sums[Thread.GetCurrentProcessorId() & (_sums.Length - 1)];
        if (weight > 0)
        {
            Add(ref sums.Bind, times.Bind, weight);
            Add(ref sums.Filters, times.Filters, weight);
            Add(ref sums.Queue, times.Queue, weight);
            Add(ref sums.Run, times.Run, weight);
            Add(ref sums.Write, times.Write, weight);
        }

        for (var longest = Volatile.Read(ref sums.Longest); total.Ticks > longest;)
        {
            var seen = Interlocked.CompareExchange(ref sums.Longest, total.Ticks, longest);
            if (seen == longest)
            {
                break;
            }

            longest = seen;
        }

        var isSlow = Kept.IsSlow(total);
        if (failure is null && !isSlow)
        {
            return;
        }

        var status = CallOutcome.StatusOf(failure);
        var call = new KeptCall(time.GetUtcNow(), times, status, CallOutcome.NameOf(failure), trace, processId, (failure as WorkerLostException)?.ReportId);
        if (isSlow)
        {
            Kept.AddSlow(call);
        }

        if (failure is not null)
        {
            Interlocked.Increment(ref _failures[(int)status]);
            Kept.AddFailed(call);
        }
    }

    private static void Add(ref long sum, TimeSpan time, int weight)
    {
        if (time > TimeSpan.Zero)
        {
            Interlocked.Add(ref sum, weight * time.Ticks);
        }
    }

    // Two cache lines: processors fetch them in pairs.
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct PhaseSums
    {
        public long Bind;
        public long Filters;
        public long Queue;
        public long Run;
        public long Write;
        public long Longest;
    }
}
