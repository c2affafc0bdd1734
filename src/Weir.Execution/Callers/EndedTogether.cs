using Weir.Execution.Processes;

namespace Weir.Execution;

/// <summary>
/// Calls that one thread ends together: a batch is told of all of its own at once. Told of each, it would wake for the first one,
/// and take the second while the third is written beside it.
/// </summary>
internal sealed class EndedTogether
{
    [ThreadStatic]
    private static EndedTogether? _current;

    // One thread's, between Begin and End: some calls of one batch, the last of them first.
    private IEndedCalls? _batch;
    private EndedCall? _last;
    private EndedCall? _first;
    private int _count;
    private IResumer? _resumer;

    /// <summary>A call of a batch has ended; the batch is told, now or when this thread has ended all that it ends together.</summary>
    public static void Add(IEndedCalls batch, EndedCall call)
    {
        if (_current is { } together)
        {
            together.Keep(batch, call);
        }
        else
        {
            Wake(batch.OnEnded(call, call), null, 1);
        }
    }

    /// <summary>What this thread ends from now on belongs together.</summary>
    /// <param name="resumer">Goes on with the batches, if it takes any; otherwise the thread pool does.</param>
    public void Begin(IResumer? resumer)
    {
        _resumer = resumer;
        _current = this;
    }

    /// <summary>That was all.</summary>
    public void End()
    {
        _current = null;
        Tell();
        _resumer = null;
    }

    private void Keep(IEndedCalls batch, EndedCall call)
    {
        if (_batch != batch)
        {
            Tell();
            _batch = batch;
            _first = call;
        }

        call.Next = _last;
        _last = call;
        _count++;
    }

    private void Tell()
    {
        if (_batch is { } batch)
        {
            var (last, first, count) = (_last!, _first!, _count);
            (_batch, _last, _first, _count) = (null, null, null, 0);
            Wake(batch.OnEnded(last, first), _resumer, count);
        }
    }

    private static void Wake(IThreadPoolWorkItem? continuation, IResumer? resumer, int endings)
    {
        if (continuation is not null && resumer?.TryTake(continuation, endings) != true)
        {
            ThreadPool.UnsafeQueueUserWorkItem(continuation, preferLocal: false);
        }
    }
}
