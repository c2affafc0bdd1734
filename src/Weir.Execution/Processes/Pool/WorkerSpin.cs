namespace Weir.Execution.Processes;

/// <summary>Whether one worker and its reader may poll instead of sleep: it asks for a token when it gets calls. Any thread.</summary>
/// <param name="worker">Whose calls they are.</param>
/// <param name="isWanted">Whether its pool polls at all.</param>
/// <param name="tokens">Where it asks.</param>
/// <param name="time">The clock.</param>
internal sealed class WorkerSpin(WorkerProcess worker, bool isWanted, SpinTokens tokens, TimeProvider time) : ISpinner
{
    private readonly long _pause = (long)(SpinTokens.Pause.TotalSeconds * time.TimestampFrequency);

    // Written under the lock of the tokens.
    private volatile bool _isAllowed;

    // A hint: when to ask next.
    private long _askAt;

    public bool IsAllowed => _isAllowed;

    public bool IsBusy => worker.Entry.Sent.Count > 0;

    /// <summary>The worker gets a call. Who was refused does not ask again for a while. Under the pool's lock.</summary>
    /// <param name="isAwaited">Whether its caller goes on on the thread pool, woken by the reader.</param>
    /// <returns>Whether they may poll.</returns>
    public bool Ask(bool isAwaited)
    {
        if (!isWanted)
        {
            return false;
        }

        if (!tokens.HasAny(isAwaited))
        {
            if (_isAllowed)
            {
                // It polled for a caller who waits itself, and now it would be in the way.
                tokens.Return(this);
            }

            return false;
        }

        if (_isAllowed)
        {
            return true;
        }

        var now = time.GetTimestamp();
        if (now < Volatile.Read(ref _askAt))
        {
            return false;
        }

        if (!tokens.TryTake(this, isAwaited))
        {
            Volatile.Write(ref _askAt, now + _pause);
            return false;
        }

        return true;
    }

    /// <summary>The worker is gone.</summary>
    public void End() => tokens.Return(this);

    void ISpinner.AllowSpin(bool isAllowed)
    {
        _isAllowed = isAllowed;
        worker.Page?.AllowSpin(isAllowed);
    }
}
