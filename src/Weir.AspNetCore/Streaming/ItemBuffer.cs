using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// The items of one stream that were not sent yet, framed, in one pooled chunk. Used only by the code that holds the
/// response's write lock; the timers may read the three times and <see cref="IsCommitted"/> at any time.
/// </summary>
internal sealed class ItemBuffer(IStreamFormat format, IStreamOutput output, StreamSettings settings) : IDisposable
{
    // What is sent in one piece; a reader that takes one piece has made progress.
    private const int SliceSize = 64 * 1024;

    // A chunk that was this small when it was sent goes back to the pool: an idle stream holds no buffer.
    private const int BusyChunk = 4 * 1024;

    private readonly PayloadWriter _chunk = new() { Serializer = settings.Serializer };

    private long _waitingSince;
    private long _sendingSince;
    private long _lastSent;
    private bool _isCommitted;
    private int _openItem = -1;
    private int _itemStart;

    /// <summary>The size of its memory in bytes.</summary>
    internal int Capacity => _chunk.Capacity;

    /// <summary>Bytes that wait.</summary>
    internal int Length => _chunk.Length;

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

    /// <summary>Is notified of the index of the next item that is not sent yet. Runs under the response's write lock.</summary>
    internal Action<long>? OnSent { get; init; }

    /// <summary>Whether status and headers have been set.</summary>
    internal bool IsCommitted => Volatile.Read(ref _isCommitted);

    /// <summary>Since when the oldest item has been waiting; 0 when no item waits.</summary>
    internal long WaitingSince => Volatile.Read(ref _waitingSince);

    /// <summary>Since when bytes are being sent without progress; 0 when no flush runs.</summary>
    internal long SendingSince => Volatile.Read(ref _sendingSince);

    /// <summary>When bytes were last sent; 0 before the first.</summary>
    internal long LastSent => Volatile.Read(ref _lastSent);

    internal void Append(ItemSource source)
    {
        Open();
        if (format is RawStreamFormat)
        {
            source.WriteRawCurrent(_chunk);
        }
        else
        {
            ItemEncoding.Write(source, _chunk);
        }

        Close();
    }

    internal void Append(BlockingItemSource source)
    {
        Open();
        if (format is RawStreamFormat)
        {
            source.WriteRawCurrent(_chunk);
        }
        else
        {
            source.WriteCurrent(_chunk);
        }

        Close();
    }

    /// <summary>Returns the chunk to its pool if nothing waits in it.</summary>
    internal void GiveBack()
    {
        if (_chunk.Length == 0)
        {
            _chunk.Dispose();
        }
    }

    /// <summary>Removes an item whose encoding failed half-way.</summary>
    internal void DropOpenItem()
    {
        if (_openItem >= 0)
        {
            _chunk.Truncate(_openItem);
            _openItem = -1;
        }
    }

    /// <summary>Drops what waits: it will never be sent.</summary>
    public void Dispose()
    {
        _openItem = -1;
        Volatile.Write(ref _waitingSince, 0);
        _chunk.Dispose();
    }

    /// <summary>Notes that the items in the buffer wait from <paramref name="now"/> on.</summary>
    internal void StartWaiting(long now) => Volatile.Write(ref _waitingSince, now);

    internal bool HasHeartbeat => format.HasHeartbeat;

    internal void WriteHeartbeat() => format.WriteHeartbeat(_chunk);

    internal void WriteEnd() => format.WriteEnd(_chunk, Next, isEmpty: Count == 0);

    internal void WriteRetry(TimeSpan wait) => format.WriteRetry(_chunk, wait, Next);

    internal bool TryWriteFailure(in ProblemReport problem) => format.TryWriteFailure(_chunk, problem, Next);

    /// <summary>Sends what waits, and status and headers before the first byte; completes when the output accepts more.</summary>
    /// <exception cref="ClientDisconnectedException">Nothing reaches the client any more.</exception>
    /// <param name="isLast">Whether nothing follows.</param>
    internal ValueTask SendAsync(bool isLast = false)
    {
        if (!IsCommitted)
        {
            output.Commit();
            Volatile.Write(ref _isCommitted, true);
        }

        Volatile.Write(ref _waitingSince, 0);
        if (_chunk.Length == 0)
        {
            return default;
        }

        var now = settings.Now();
        Volatile.Write(ref _sendingSince, now);
        if (_chunk.Length > SliceSize)
        {
            return SendSlicesAsync(isLast);
        }

        var writing = output.WriteAsync(_chunk.WrittenMemory, isLast);
        if (!writing.IsCompletedSuccessfully)
        {
            // Thousands of readers may be slow at once: no stream keeps a chunk whose bytes the server already has.
            _chunk.Dispose();
            return FinishAsync(writing);
        }

        Finish(writing.Result, now);
        return default;
    }

    private async ValueTask FinishAsync(ValueTask<bool> writing) => Finish(await writing, settings.Now());

    private async ValueTask SendSlicesAsync(bool isLast)
    {
        var isConnected = true;
        for (var start = 0; start < _chunk.Length && isConnected; start += SliceSize)
        {
            Volatile.Write(ref _sendingSince, settings.Now());
            isConnected = await output.WriteAsync(_chunk.WrittenMemory.Slice(start, Math.Min(SliceSize, _chunk.Length - start)), isLast && start + SliceSize >= _chunk.Length);
        }

        Finish(isConnected, settings.Now());
    }

    private void Finish(bool isConnected, long now)
    {
        Volatile.Write(ref _sendingSince, 0);
        if (!isConnected)
        {
            throw new ClientDisconnectedException();
        }

        Volatile.Write(ref _lastSent, now);
        Sent = Count;
        OnSent?.Invoke(Next);
        if (_chunk.Length is < BusyChunk or > SliceSize)
        {
            _chunk.Dispose();
        }
        else
        {
            _chunk.Clear();
        }
    }

    private void Open()
    {
        _openItem = _chunk.Length;
        format.BeginItem(_chunk, Next, isFirst: Count == 0);
        _itemStart = _chunk.Length;
    }

    private void Close()
    {
        if (format.ReservesMember)
        {
            ReservedMember.Wrap(_chunk, _itemStart);
        }

        format.EndItem(_chunk);
        _openItem = -1;
        Count++;
    }
}
