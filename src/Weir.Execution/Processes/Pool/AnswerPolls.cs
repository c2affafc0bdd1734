namespace Weir.Execution.Processes;

/// <summary>
/// Who reads the answer to each call of one worker. Mostly its reader does, on its own thread; where the caller's thread polls anyway,
/// or a thread of the thread pool would have nothing to do but wait for it, that thread.
/// </summary>
/// <param name="worker">Whose calls they are. It has a page, and a data channel.</param>
/// <param name="reader">Its reader.</param>
internal sealed class AnswerPolls(WorkerProcess worker, DataReader reader)
{
    // So many calls in a row were alone with the worker before that is taken for a habit: where they overlap, to change who reads costs more.
    private const int Habit = 8;

    // Under the pool's lock.
    private int _alone;

    private volatile bool _wantsReader;
    private volatile bool _wantsPoll;

    /// <summary>The worker gets a call; <see cref="Begin"/> follows. Under the pool's lock, on the thread that decided.</summary>
    public void Note(PoolCall call)
    {
        _alone = worker.Entry.Sent.Count > 1 ? 0 : Math.Min(_alone + 1, Habit);

        // 1. The caller waits on a thread of its own: this one.
        if (call.Waiter is { IsOfThisThread: true } waiter && reader.TakesPromises && worker.Spin.Ask(isAwaited: false))
        {
            waiter.Reader = reader;
            return;
        }

        // 2. A burst of callers reads, or hands back to the reader after it has seen this call.
        if (reader.IsHandedOver)
        {
            worker.Spin.Ask(isAwaited: false);
            return;
        }

        // 3. The caller awaits: it has nothing to do before the answer comes, and if it is alone, nobody else has either.
        if (call is { IsAwaited: true, IsShort: true, IsPlain: true } && _alone == Habit && reader.TakesPromises && worker.Spin.Ask(isAwaited: false))
        {
            _wantsPoll = true;
            return;
        }

        // 4. Everybody else.
        worker.Spin.Ask(call.IsAwaited);
        _wantsReader = true;
    }

    /// <summary>What the worker got was sent.</summary>
    public void Begin()
    {
        if (_wantsReader)
        {
            _wantsReader = false;
            _wantsPoll = false;
            reader.Wake();
        }
        else if (_wantsPoll)
        {
            _wantsPoll = false;
            reader.PollSoon();
        }
    }
}
