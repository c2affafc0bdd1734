namespace Weir.Execution.Processes;

/// <summary>
/// The host's end of one byte stream to a worker. It is read either by one thread that waits in <see cref="Receive"/>, or by
/// the thread that attends to all workers (<see cref="Attend"/>). One writes at a time; anybody may end it.
/// </summary>
internal abstract class WorkerChannel : IDisposable
{
    /// <summary>
    /// From now on the bytes go through the page, and what the channel itself carries only wakes who sleeps. Before the worker is given its
    /// first call; where there is a page.
    /// </summary>
    /// <param name="page">The page the worker has chosen.</param>
    /// <param name="giveRoom">Tells the worker that there is room again for what it sends.</param>
    /// <param name="onFault">What the worker says in the page cannot be; called on the thread pool.</param>
    public virtual void Share(SharedPage page, Action giveRoom, Action<string> onFault) => throw new NotSupportedException("This channel has no page.");

    /// <summary>
    /// Whether one side has not taken what the other sent, or there is room that the host waits for. Only words in the shared memory wake the
    /// side that waits, and they may have been overwritten. Any thread, as a hint: it may be so for a moment where all is well.
    /// </summary>
    public virtual bool MissedWake => false;

    /// <summary>Wakes the worker's reader, whatever the shared memory says. Any thread; nothing where there is no shared memory.</summary>
    public virtual void WakeInAnyCase()
    {
    }

    /// <summary>Waits for bytes. 0 is the end, also when the worker died with bytes of ours unread.</summary>
    public abstract int Receive(Span<byte> buffer);

    /// <summary>Takes what has arrived. 0 is the end, -1 nothing yet.</summary>
    public abstract int TryReceive(Span<byte> buffer);

    /// <summary>Sends what fits without waiting.</summary>
    /// <returns>The number of bytes taken, 0 when there is no room; -1 when nobody reads any more: what the worker sent before is still to be received.</returns>
    public abstract int TrySend(ReadOnlySpan<byte> bytes);

    /// <summary>
    /// Calls the reader whenever there is something to take or the channel has ended, on the thread that attends to all workers:
    /// it never blocks and never runs user code. It takes what it likes and says whether it wants to hear more.
    /// </summary>
    /// <param name="onReadable">Returns <c>false</c> after the end, or when it wants no more.</param>
    /// <param name="onFault">The reader threw; it is not called again.</param>
    public abstract void Attend(Func<bool> onReadable, Action<Exception> onFault);

    /// <summary>Lets an attended reader take what the worker left behind, and no more; ends when it has.</summary>
    public abstract Task FinishAsync();

    /// <summary>Calls back once, on the same thread, when there is room to send, or nobody reads any more.</summary>
    public abstract void WhenWritable(Action callback);

    /// <summary>Ends both directions: the worker sees the end of the channel, a waiting <see cref="Receive"/> takes what has arrived and then returns 0.</summary>
    public abstract void End();

    public abstract void Dispose();
}
