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

    /// <summary>A call of a batch has ended; the batch is told, now or when this thread has ended all that it ends together.</summary>
    public static void Add(IEndedCalls batch, EndedCall call)
    {
        if (_current is { } together)
        {
            together.Keep(batch, call);
        }
        else
        {
            Wake(batch.OnEnded(call, call));
        }
    }

    /// <summary>What this thread ends from now on belongs together.</summary>
    public void Begin() => _current = this;

    /// <summary>That was all.</summary>
    public void End()
    {
        _current = null;
        Tell();
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
    }

    private void Tell()
    {
        if (_batch is { } batch)
        {
            var (last, first) = (_last!, _first!);
            (_batch, _last, _first) = (null, null, null);
            Wake(batch.OnEnded(last, first));
        }
    }

    private static void Wake(IThreadPoolWorkItem? continuation)
    {
        if (continuation is not null)
        {
            Callbacks.Resume(continuation);
        }
    }
}
