namespace Weir.AspNetCore.Resuming;

/// <summary>How many bytes resumable streams keep together. Used concurrently.</summary>
/// <param name="limit">Bytes; <c>null</c> means no limit.</param>
internal class ResumeMemory(long? limit)
{
    private long _used;

    /// <summary>Bytes that are kept.</summary>
    internal long Used => Interlocked.Read(ref _used);

    /// <summary>Takes bytes if the limit allows it.</summary>
    internal virtual bool TryReserve(long bytes)
    {
        if (Interlocked.Add(ref _used, bytes) <= limit.GetValueOrDefault(long.MaxValue))
        {
            return true;
        }

        Interlocked.Add(ref _used, -bytes);
        return false;
    }

    /// <summary>Takes bytes beyond the limit: for the one item that a stream may always keep.</summary>
    internal virtual void Reserve(long bytes) => Interlocked.Add(ref _used, bytes);

    /// <summary>Gives bytes back.</summary>
    internal virtual void Release(long bytes) => Interlocked.Add(ref _used, -bytes);

    /// <summary>Whether so many more bytes are within the limit.</summary>
    internal bool Has(long bytes) => Used + bytes <= limit.GetValueOrDefault(long.MaxValue);
}
