using System.Buffers.Binary;
using System.Numerics;
using Weir.Runtime;

namespace Weir.AspNetCore.Resuming;

/// <summary>
/// The items of one stream that a reader may still ask for, in segments: one after the other, each behind its length. While a reader takes them,
/// items that were not sent yet may use a quarter of it, and the rest keeps what was sent: the oldest segment is dropped when there is no place for
/// a new item. Without a reader nothing is dropped. Used under the lock of its stream.
/// </summary>
/// <param name="limit">The bytes of its segments; one item more is kept if it is the only one.</param>
/// <param name="memory">What all streams keep together.</param>
internal sealed class ItemRing(int limit, ResumeMemory memory)
{
    private const int Prefix = sizeof(int);
    private const int SmallestSegment = 1024;
    private const int LargestSegment = 16 * 1024;

    // A ring of few segments could only drop large parts of itself.
    private const int Segments = 8;

    // A producer that is faster than its reader would otherwise leave no place for what was sent and may not have arrived.
    private const int AheadShare = 4;

    private Segment? _oldest;

    // Also after it was dropped: the place of a reader that has read everything is behind its last item.
    private Segment _newest = new([]);
    private int _next = SmallestSegment;
    private long _sent;

    // The segment of the first item that was not sent; null where all were.
    private Segment? _unsent;

    // The sizes of all segments there ever were.
    private long _grown;

    /// <summary>The index of the oldest item that is kept.</summary>
    internal long First => _oldest?.First ?? Next;

    /// <summary>The index of the next item.</summary>
    internal long Next { get; private set; }

    /// <summary>The bytes of its segments.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Adds an item; <c>false</c> where there is no place for it yet.</summary>
    /// <param name="item">Copied.</param>
    /// <param name="isRead">Whether a reader takes the items.</param>
    internal bool TryAppend(ReadOnlySpan<byte> item, bool isRead)
    {
        while (_oldest is null || _newest.Free < Prefix + item.Length)
        {
            var size = SizeFor(Prefix + (long)item.Length);
            if (isRead && Next > _sent && Unsent + size > limit / AheadShare)
            {
                return false;
            }

            if (!TryGrow(size) && !(isRead && TryDropOldest(_sent)))
            {
                return false;
            }
        }

        _unsent ??= _newest;

        BinaryPrimitives.WriteInt32LittleEndian(_newest.Rest, item.Length);
        item.CopyTo(_newest.Rest[Prefix..]);
        _newest.Length += Prefix + item.Length;
        _newest.Count++;
        Next++;
        return true;
    }

    /// <summary>A reader continues: what is before its first item has arrived, and what was sent behind it has not.</summary>
    /// <param name="index">Of its first item.</param>
    internal void Restart(long index)
    {
        DropBefore(index);
        _sent = index;
        _unsent = _oldest;
        FindUnsent();
    }

    /// <summary>Items were sent to the reader.</summary>
    /// <param name="index">The next one.</param>
    /// <returns>Whether they were not known to be sent.</returns>
    internal bool MarkSent(long index)
    {
        if (index <= _sent)
        {
            return false;
        }

        _sent = index;
        FindUnsent();
        return true;
    }

    /// <summary>The place of an item, or the place behind the newest item.</summary>
    /// <param name="index">From <see cref="First"/> to <see cref="Next"/>.</param>
    internal Cursor Seek(long index)
    {
        if (_oldest is null)
        {
            return new Cursor(_newest, _newest.Length);
        }

        var segment = _oldest;
        while (segment.Next is { } next && next.First <= index)
        {
            segment = next;
        }

        var offset = 0;
        for (var at = segment.First; at < index; at++)
        {
            offset += Prefix + segment.LengthAt(offset);
        }

        return new Cursor(segment, offset);
    }

    /// <summary>Drops everything.</summary>
    internal void Clear()
    {
        DropBefore(long.MaxValue);
        _unsent = null;
    }

    // With the whole segment that the first of them is in.
    private long Unsent => _unsent is null ? 0 : _grown - _unsent.Start;

    private void FindUnsent()
    {
        while (_unsent is { } segment && segment.First + segment.Count <= _sent)
        {
            _unsent = segment.Next;
        }
    }

    private void DropBefore(long index)
    {
        while (TryDropOldest(index))
        {
        }
    }

    private bool TryDropOldest(long droppable)
    {
        if (_oldest is not { } segment || segment.First + segment.Count > droppable)
        {
            return false;
        }

        _oldest = segment.Next;
        Bytes -= segment.Size;
        memory.Release(segment.Size);
        segment.Return();
        return true;
    }

    // The pool has arrays of these sizes.
    private long SizeFor(long needed) =>
        Math.Max(_next, needed) is var size and <= BoundedArrayPool.LargestPooled ? (long)BitOperations.RoundUpToPowerOf2((ulong)size) : Math.Max(_next, needed);

    private bool TryGrow(long size)
    {
        if (Bytes + size > limit || !memory.TryReserve(size))
        {
            // One item is always kept, however large it is.
            if (_oldest is not null)
            {
                return false;
            }

            memory.Reserve(size);
        }

        var added = new Segment(BoundedArrayPool.Rent((int)size)) { First = Next, Size = size, Start = _grown };
        _grown += size;
        Bytes += size;
        _newest.Next = added;
        _newest = added;
        _oldest ??= added;
        _next = Math.Min(_next * 2, Math.Clamp(limit / Segments, SmallestSegment, LargestSegment));
        return true;
    }

    /// <summary>A place in the ring: at an item, or behind the newest. It is valid until an item behind it is dropped.</summary>
    internal struct Cursor
    {
        private Segment _segment;
        private int _offset;

        internal Cursor(Segment segment, int offset) => (_segment, _offset) = (segment, offset);

        /// <summary>Whether there is an item.</summary>
        internal bool HasItem()
        {
            while (_offset == _segment.Length && _segment.Next is { } next)
            {
                (_segment, _offset) = (next, 0);
            }

            return _offset < _segment.Length;
        }

        /// <summary>The item, and the place behind it. Only after <see cref="HasItem"/>.</summary>
        internal ReadOnlySpan<byte> Take()
        {
            var length = _segment.LengthAt(_offset);
            var item = _segment.Item(_offset + Prefix, length);
            _offset += Prefix + length;
            return item;
        }
    }

    internal sealed class Segment(byte[] bytes)
    {
        private byte[] _bytes = bytes;

        internal Segment? Next { get; set; }

        internal long First { get; init; }

        internal long Size { get; init; }

        /// <summary>The sizes of all segments before it.</summary>
        internal long Start { get; init; }

        internal long Count { get; set; }

        internal int Length { get; set; }

        internal int Free => _bytes.Length - Length;

        internal Span<byte> Rest => _bytes.AsSpan(Length);

        internal int LengthAt(int offset) => BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(offset));

        internal ReadOnlySpan<byte> Item(int offset, int length) => _bytes.AsSpan(offset, length);

        internal void Return()
        {
            if (_bytes.Length > 0)
            {
                BoundedArrayPool.Return(_bytes);
                _bytes = [];
            }
        }
    }
}
