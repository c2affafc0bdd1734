namespace Weir.Execution.Processes;

/// <summary>
/// The host's end of one byte stream to a worker. It is read either by one thread that waits in <see cref="Receive"/>, or on
/// the thread of the epoll loop (<see cref="Attend"/>). One thread writes at a time; any thread may end it.
/// </summary>
internal abstract class WorkerChannel : IDisposable
{
    /// <summary>
    /// From now on the bytes go through the shared memory, and the channel itself carries only bytes that wake a sleeping reader. Called
    /// before the first call is sent to the worker, and only where there is shared memory.
    /// </summary>
    /// <param name="region">The shared memory that the worker has chosen to use.</param>
    /// <param name="signalSpace">Notifies the worker that there is space again for what it sends.</param>
    /// <param name="onViolation">Called on the thread pool when the worker wrote something invalid in the shared memory.</param>
    public virtual void Share(SharedMemoryRegion region, Action signalSpace, Action<string> onViolation) => throw new NotSupportedException("This channel has no shared memory.");

    /// <summary>
    /// Whether one side has not taken what the other sent, or there is space that the host waits for. The side that waits is woken because
    /// of words in the shared memory, and they may have been overwritten. Any thread, as a hint: it may be true for a moment without a fault.
    /// </summary>
    public virtual bool MissedWake => false;

    /// <summary>Wakes the worker's reader, whatever the shared memory contains. Any thread; does nothing where there is no shared memory.</summary>
    public virtual void WakeInAnyCase()
    {
    }

    /// <summary>Waits for bytes. 0 is the end of the channel, also when the worker died before it read all bytes from the host.</summary>
    public abstract int Receive(Span<byte> buffer);

    /// <summary>Takes what has arrived. 0 is the end of the channel, -1 means nothing yet.</summary>
    public abstract int TryReceive(Span<byte> buffer);

    /// <summary>Sends what fits without waiting.</summary>
    /// <returns>The number of bytes taken, 0 when there is no space; -1 when the worker no longer reads: what it sent before can still be received.</returns>
    public abstract int TrySend(ReadOnlySpan<byte> bytes);

    /// <summary>
    /// Calls the reader whenever there is something to take or the channel has ended, on the thread of the epoll loop: it never blocks
    /// and never runs user code. It takes as much as it likes and returns whether it is to be called again.
    /// </summary>
    /// <param name="onReadable">Returns <c>false</c> after the end of the channel, or when it is not to be called again.</param>
    /// <param name="onViolation">The reader threw; it is not called again.</param>
    public abstract void Attend(Func<bool> onReadable, Action<Exception> onViolation);

    /// <summary>Lets the reader of <see cref="Attend"/> take what the worker sent before it ended, and nothing later; completes after that.</summary>
    public abstract Task FinishAsync();

    /// <summary>Calls back once, on the thread of the epoll loop, when there is space to send, or the worker no longer reads.</summary>
    public abstract void WhenWritable(Action callback);

    /// <summary>Ends both directions: the worker sees the end of the channel, a waiting <see cref="Receive"/> takes what has arrived and then returns 0.</summary>
    public abstract void End();

    public abstract void Dispose();
}
