using Weir.Execution.Threading;

namespace Weir.Execution.Pipeline;

/// <summary>
/// Counts the calls that one pool, or the lane, did not serve, and reports those of 10 s in one line: a queue that is full refuses thousands.
/// While all calls are served nothing is allocated and no timer is set. Any thread.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="queueLimit">Reads the limit of the queue.</param>
/// <param name="log">Logs one line: how many calls, in how many seconds, and why. Not called under a lock.</param>
internal sealed class UnservedCalls(TimeProvider time, Func<int> queueLimit, Action<long, double, string> log) : IDisposable
{
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(10);
    private static readonly int Reasons = Enum.GetValuesAsUnderlyingType<UnservedReason>().Length;

    private readonly Lock _gate = new();

    // Under _gate. The counts are null while there is nothing to report.
    private long[]? _counts;
    private long _began;
    private ITimer? _timer;
    private bool _isDisposed;

    /// <summary>A call was not served. The first one begins 10 s, after which all of them are reported.</summary>
    public void Note(UnservedReason reason)
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            if (_counts is null)
            {
                _counts = new long[Reasons];
                _began = time.GetTimestamp();
                _timer ??= Callbacks.CreateTimer(time, this, static calls => calls.Report(), static (_, _) => { });
                _timer.Change(Window, Timeout.InfiniteTimeSpan);
            }

            _counts[(int)reason]++;
        }
    }

    /// <summary>The same for what a caller gets, if that says that its call was not served. A host that shuts down refuses calls by intention.</summary>
    public void Note(Exception outcome)
    {
        switch (outcome)
        {
            case CallRejectedException { Code: WeirCodes.Draining }:
                break;
            case CallRejectedException rejected:
                Note(rejected.Code == WeirCodes.QueueFull ? UnservedReason.QueueFull : UnservedReason.NoWorker);
                break;
            case DeadlineExceededException:
                Note(UnservedReason.Late);
                break;
            case WorkerLostException { Code: WeirCodes.WorkerLost, ReportId: null }:
                Note(UnservedReason.Quarantined);
                break;
        }
    }

    /// <summary>Reports what is not reported yet, and counts no more.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _timer?.Dispose();
        }

        Report();
    }

    private void Report()
    {
        long[]? counts;
        TimeSpan passed;
        lock (_gate)
        {
            (counts, _counts) = (_counts, null);
            passed = time.GetElapsedTime(_began);
        }

        if (counts is null)
        {
            return;
        }

        try
        {
            log(counts.Sum(), Math.Max(1, passed.TotalSeconds), Describe(counts));
        }
        catch (Exception)
        {
            // There is nowhere to report that a logger throws, and the drain of a pool does not depend on it.
        }
    }

    private string Describe(long[] counts) => string.Join("; ", Enum.GetValues<UnservedReason>().Where(reason => counts[(int)reason] > 0).Select(reason => reason switch
    {
        UnservedReason.QueueFull => $"{counts[(int)reason]} were rejected, because its queue of {queueLimit()} (QueueLimit) is full",
        UnservedReason.Late => $"{counts[(int)reason]} passed their deadline",
        UnservedReason.Quarantined => $"{counts[(int)reason]} are in quarantine, because calls like them made workers fail",
        _ => $"{counts[(int)reason]} were rejected, because no worker could be started",
    }));
}
