using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// A thread of the thread pool that has nothing else to do polls for the answer to an awaited call, instead of going to sleep and being
/// woken for it, and goes on with whoever awaits it. Calls that follow each other stay on it.
/// </summary>
/// <param name="poll">How it polls.</param>
internal sealed class IdleThread(AnswerPoll poll) : IResumer
{
    [ThreadStatic]
    private static IdleThread? _ofThisThread;

    private IThreadPoolWorkItem? _continuation;
    private IAnswerReader? _next;
    private bool _isGoingOn;

    /// <inheritdoc/>
    public bool IsFree => _continuation is null;

    /// <summary>This thread's, which must be one of the thread pool.</summary>
    public static IdleThread OfThisThread => _ofThisThread ??= new IdleThread(AnswerPoll.OfThreadPool(SpinRule.Longest));

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
            if (!poll.TryPoll(current, this))
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

                // As between two items of the thread pool.
                SynchronizationContext.SetSynchronizationContext(null);
                if (context is not null)
                {
                    ExecutionContext.Restore(context);
                }
            }
        }
    }

    /// <summary>Takes what awaits an answer that it has read: one at a time.</summary>
    public bool TryTake(IThreadPoolWorkItem continuation, int endings)
    {
        if (!IsFree)
        {
            return false;
        }

        _continuation = continuation;
        return true;
    }

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
}
