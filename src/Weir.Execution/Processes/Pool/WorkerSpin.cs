namespace Weir.Execution.Processes;

/// <summary>Whether one worker and its reader may poll instead of sleep: it asks for a token when it gets calls. Any thread.</summary>
/// <param name="worker">Whose calls they are.</param>
/// <param name="time">The clock.</param>
internal sealed class WorkerSpin(WorkerProcess worker, TimeProvider time) : ISpinner
{
    private readonly long _pause = (long)(SpinTokens.Pause.TotalSeconds * time.TimestampFrequency);

    // Written under the lock of the tokens.
    private volatile bool _isAllowed;

    // A hint: when to ask next.
    private long _askAt;

    public bool IsAllowed => _isAllowed;

    public bool IsBusy => worker.Entry.Sent.Count > 0;

    /// <summary>The worker got a call. Who was refused does not ask again for a while.</summary>
    public void Ask()
    {
        if (_isAllowed)
        {
            return;
        }

        var now = time.GetTimestamp();
        if (now >= Volatile.Read(ref _askAt) && !SpinTokens.Shared.TryTake(this))
        {
            Volatile.Write(ref _askAt, now + _pause);
        }
    }

    /// <summary>The worker is gone.</summary>
    public void End() => SpinTokens.Shared.Return(this);

    void ISpinner.AllowSpin(bool isAllowed)
    {
        _isAllowed = isAllowed;
        worker.Page?.AllowSpin(isAllowed);
    }
}
