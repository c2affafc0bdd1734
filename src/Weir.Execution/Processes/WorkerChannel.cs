namespace Weir.Execution.Processes;

/// <summary>The host's end of one byte stream to a worker. One thread reads; one writes at a time; anybody may end it.</summary>
internal abstract class WorkerChannel : IDisposable
{
    /// <summary>Waits for bytes. 0 is the end, also when the worker died with bytes of ours unread.</summary>
    public abstract int Receive(Span<byte> buffer);

    /// <summary>Sends what fits without waiting.</summary>
    /// <returns>The number of bytes taken, 0 when there is no room; -1 when nobody reads any more: what the worker sent before is still to be received.</returns>
    public abstract int TrySend(ReadOnlySpan<byte> bytes);

    /// <summary>Ends both directions: the worker sees the end of the channel, a waiting <see cref="Receive"/> returns 0.</summary>
    public abstract void End();

    public abstract void Dispose();
}
