using Weir.Server.Errors;
using Weir.Server.Formatting;

namespace Weir.Server.Streaming;

/// <summary>
/// The items of one stream that have not left yet, framed, in one pooled chunk. Touched only by whoever has the
/// response's turn; the three moments may be read by the timers at any time.
/// </summary>
internal sealed class ItemBuffer(IStreamFormat format, IStreamOutput output, StreamSettings settings) : IDisposable
{
    // What is sent in one piece; a reader that takes one piece has made progress.
    private const int SliceSize = 64 * 1024;

    // A chunk that was this small when it left goes back to the pool: an idle stream holds no buffer.
    private const int BusyChunk = 4 * 1024;

    private readonly PayloadWriter _chunk = new();

    private long _waitingSince;
    private long _sendingSince;
    private long _lastSent;
    private int _openItem = -1;

    /// <summary>Bytes that wait.</summary>
    internal int Length => _chunk.Length;

    /// <summary>Items written, sent or not.</summary>
    internal long Count { get; private set; }

    /// <summary>Items sent.</summary>
    internal long Sent { get; private set; }

    /// <summary>Whether status and headers have been decided.</summary>
    internal bool IsCommitted { get; private set; }

    /// <summary>Since when the oldest item has been waiting; 0 when none does.</summary>
    internal long WaitingSince => Volatile.Read(ref _waitingSince);

    /// <summary>Since when bytes have been on their way without progress; 0 when none are.</summary>
    internal long SendingSince => Volatile.Read(ref _sendingSince);

    /// <summary>When bytes last left; 0 when none have.</summary>
    internal long LastSent => Volatile.Read(ref _lastSent);

    internal void Append(ItemSource source)
    {
        Open();
        if (source is EncodedItemSource encoded)
        {
            WriteFlat(encoded.Current.Span);
        }
        else
        {
            source.WriteCurrent(_chunk);
        }

        Close();
    }

    internal void Append(BlockingItemSource source)
    {
        Open();
        source.WriteCurrent(_chunk);
        Close();
    }

    /// <summary>Forgets an item whose encoding failed half-way.</summary>
    internal void DropOpenItem()
    {
        if (_openItem >= 0)
        {
            _chunk.Truncate(_openItem);
            _openItem = -1;
        }
    }

    /// <summary>Forgets what waits: it will never leave.</summary>
    public void Dispose()
    {
        _openItem = -1;
        Volatile.Write(ref _waitingSince, 0);
        _chunk.Dispose();
    }

    /// <summary>Notes that the items now in here wait from <paramref name="now"/> on.</summary>
    internal void StartWaiting(long now) => Volatile.Write(ref _waitingSince, now);

    internal void WriteHeartbeat() => format.WriteHeartbeat(_chunk);

    internal void WriteEnd() => format.WriteEnd(_chunk, Count);

    internal bool TryWriteFailure(in ProblemReport problem) => format.TryWriteFailure(_chunk, problem, Count);

    /// <summary>Sends what waits, and status and headers before the first byte; ends when there is room for more.</summary>
    internal ValueTask SendAsync()
    {
        if (!IsCommitted)
        {
            output.Commit();
            IsCommitted = true;
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
            return SendSlicesAsync();
        }

        var writing = output.WriteAsync(_chunk.WrittenMemory);
        if (!writing.IsCompletedSuccessfully)
        {
            return FinishAsync(writing);
        }

        writing.GetAwaiter().GetResult();
        Finish(now);
        return default;
    }

    private async ValueTask FinishAsync(ValueTask writing)
    {
        await writing;
        Finish(settings.Now());
    }

    private async ValueTask SendSlicesAsync()
    {
        for (var start = 0; start < _chunk.Length; start += SliceSize)
        {
            Volatile.Write(ref _sendingSince, settings.Now());
            await output.WriteAsync(_chunk.WrittenMemory.Slice(start, Math.Min(SliceSize, _chunk.Length - start)));
        }

        Finish(settings.Now());
    }

    private void Finish(long now)
    {
        Volatile.Write(ref _lastSent, now);
        Volatile.Write(ref _sendingSince, 0);
        Sent = Count;
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
        format.BeginItem(_chunk, Count);
    }

    private void Close()
    {
        format.EndItem(_chunk);
        _openItem = -1;
        Count++;
    }

    // A line break in JSON is white space, but it would end the line or event that the item stands in.
    private void WriteFlat(ReadOnlySpan<byte> item)
    {
        for (var end = item.IndexOfAny((byte)'\n', (byte)'\r'); end >= 0; end = item.IndexOfAny((byte)'\n', (byte)'\r'))
        {
            _chunk.Write(item[..end]);
            _chunk.Write(" "u8);
            item = item[(end + 1)..];
        }

        _chunk.Write(item);
    }
}
