using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// A thread of the thread pool that has nothing else to do polls for the answer to an awaited call, instead of going to sleep and being
/// woken for it, and goes on with whoever awaits it. Calls that follow each other stay on it.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="isNeeded">Whether something else waits for a thread.</param>
internal sealed class IdleThread(TimeProvider time, Func<bool> isNeeded)
{
    [ThreadStatic]
    private static IdleThread? _ofThisThread;

    private SpinRule _rule = new(time.TimestampFrequency);
    private IThreadPoolWorkItem? _continuation;
    private IAnswerReader? _next;
    private bool _isGoingOn;

    /// <summary>Whether it may still take what awaits an answer: one at a time.</summary>
    public bool IsFree => _continuation is null;

    /// <summary>This thread's, which must be one of the thread pool.</summary>
    public static IdleThread OfThisThread => _ofThisThread ??= new IdleThread(TimeProvider.System, static () => ThreadPool.PendingWorkItemCount > 0);

    /// <summary>Whether this thread is one that will poll as soon as what runs on it has nothing else to do.</summary>
    /// <param name="reader">Whose answer it polls for then.</param>
    public static bool WillPoll(IAnswerReader reader) => _ofThisThread?.TryPromise(reader) == true;

    /// <summary>Polls until the answer comes, and goes on; then for the answer to the call that was made meanwhile, and so on. Where it does not come soon, or something else waits for a thread, the reader is woken.</summary>
    public void Run(IAnswerReader reader)
    {
        var context = ExecutionContext.Capture();
        for (var current = reader; current is not null; current = _next)
        {
            _next = null;
            if (!TryPoll(current))
            {
                current.Wake();
                return;
            }

            var continuation = _continuation!;
            _continuation = null;
            _isGoingOn = true;
            try
            {
                continuation.Execute();
            }
            finally
            {
                _isGoingOn = false;
                if (context is not null)
                {
                    // As between two items of the thread pool.
                    ExecutionContext.Restore(context);
                }
            }
        }
    }

    /// <summary>Takes what awaits an answer that it has read; <c>null</c> for nothing.</summary>
    public void Take(IThreadPoolWorkItem? continuation) => _continuation = continuation;

    /// <summary>It will poll for an answer as soon as what it goes on with has nothing else to do. One at a time.</summary>
    public bool TryPromise(IAnswerReader reader)
    {
        if (!_isGoingOn || _next is not null)
        {
            return false;
        }

        _next = reader;
        return true;
    }

    private bool TryPoll(IAnswerReader reader)
    {
        if (!_rule.Begin(time.GetTimestamp()))
        {
            return false;
        }

        while (!isNeeded() && reader.TryReadAhead(this) && IsFree)
        {
            Thread.Yield();
            var now = time.GetTimestamp();
            if (!_rule.GoOn(now))
            {
                if (_rule.BarredFor(now) is var penalty && penalty > TimeSpan.Zero)
                {
                    reader.Bar(penalty);
                }

                return false;
            }
        }

        return !IsFree;
    }
}
