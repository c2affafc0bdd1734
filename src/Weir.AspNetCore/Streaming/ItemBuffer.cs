using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// The items of one stream that were not sent yet, framed, in one pooled chunk. Used under the stream's lock while no send runs, and by
/// the send while it runs; the timers may read the three times and <see cref="IsCommitted"/> at any time.
/// </summary>
internal sealed class ItemBuffer(IStreamFormat format, IStreamOutput output, StreamSettings settings) : IDisposable
{
    // What is sent in one piece; a reader that takes one piece has made progress.
    private const int SliceSize = 64 * 1024;

    private readonly PayloadWriter _chunk = new() { Serializer = settings.Serializer };

    private long _waitingSince;
    private long _sendingSince;
    private long _lastSent;
    private bool _isCommitted;

    // Bytes of the last send: what is probably needed for the next.
    private int _lastLength;

    /// <summary>The size of its memory in bytes.</summary>
    internal int Capacity => _chunk.Capacity;

    /// <summary>Whether so many bytes wait that they should be sent now.</summary>
    internal bool IsFull => _chunk.Length >= settings.FlushSize;

    /// <summary>Whether a piece waits that is large enough for its reader.</summary>
    internal bool HasPiece => _chunk.Length >= output.PieceSize;

    /// <summary>Items written, sent or not.</summary>
    internal long Count { get; private set; }

    /// <summary>Items sent.</summary>
    internal long Sent { get; private set; }

    /// <summary>The index of the first item: not zero in a response that continues a stream. Set before the first item.</summary>
    internal long First { get; set; }

    /// <summary>The index of the next item.</summary>
    internal long Next => First + Count;

    /// <summary>Is notified by a send of the index of the next item that is not sent yet.</summary>
    internal Action<long>? OnSent { get; init; }

    /// <summary>Whether status and headers have been set.</summary>
    internal bool IsCommitted => Volatile.Read(ref _isCommitted);

    /// <summary>Since when the oldest item has been waiting; 0 when no item waits.</summary>
    internal long WaitingSince => Volatile.Read(ref _waitingSince);

    /// <summary>Since when bytes are being sent without progress; 0 when no flush runs.</summary>
    internal long SendingSince => Volatile.Read(ref _sendingSince);

    /// <summary>When bytes were last sent; 0 before the first.</summary>
    internal long LastSent => Volatile.Read(ref _lastSent);

    /// <summary>Writes the current item of a source. If that fails, nothing of it is left.</summary>
    internal void Append<TSource>(TSource source, Action<TSource, PayloadWriter> write)
    {
        var start = _chunk.Length;
        if (start == 0)
        {
            _chunk.GetSpan(_lastLength);
        }

        try
        {
            format.BeginItem(_chunk, Next, isFirst: Count == 0);
            var itemStart = _chunk.Length;
            write(source, _chunk);
            if (format.ReservesMember)
            {
                ReservedMember.Wrap(_chunk, itemStart);
            }

            format.EndItem(_chunk);
            Count++;
        }
        catch (Exception)
        {
            _chunk.Truncate(start);
            throw;
        }
    }

    /// <summary>Drops what waits: it will never be sent.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _waitingSince, 0);
        _chunk.Dispose();
    }

    /// <summary>Notes that the items in the buffer wait from <paramref name="now"/> on.</summary>
    internal void StartWaiting(long now) => Volatile.Write(ref _waitingSince, now);

    internal void WriteHeartbeat() => format.WriteHeartbeat(_chunk);

    internal void WriteEnd() => format.WriteEnd(_chunk, Next, isEmpty: Count == 0);

    internal void WriteRetry(TimeSpan wait) => format.WriteRetry(_chunk, wait, Next);

    internal bool TryWriteFailure(in ProblemReport problem) => format.TryWriteFailure(_chunk, problem, Next);

    /// <summary>Sends what waits, and status and headers before the first byte; completes when the output accepts more.</summary>
    /// <exception cref="ClientDisconnectedException">Nothing reaches the client any more.</exception>
    /// <param name="isLast">Whether nothing follows.</param>
    internal async Task SendAsync(bool isLast)
    {
        if (!IsCommitted)
        {
            output.Commit();
            Volatile.Write(ref _isCommitted, true);
        }

        Volatile.Write(ref _waitingSince, 0);
        var length = _chunk.Length;
        if (length == 0)
        {
            return;
        }

        _lastLength = Math.Min(length, SliceSize);
        for (var start = 0; start < length; start += SliceSize)
        {
            Volatile.Write(ref _sendingSince, settings.Now());
            var end = Math.Min(start + SliceSize, length);
            var writing = output.WriteAsync(_chunk.WrittenMemory[start..end], isLast && end == length);
            if (end == length)
            {
                // Thousands of streams may be idle or have slow readers: none of them holds a chunk whose bytes the server already has.
                _chunk.Dispose();
            }

            var isConnected = await writing;
            Volatile.Write(ref _sendingSince, 0);
            if (!isConnected)
            {
                throw new ClientDisconnectedException();
            }
        }

        Volatile.Write(ref _lastSent, settings.Now());
        Sent = Count;
        OnSent?.Invoke(Next);
    }
}
