using System.Buffers;
using Weir.Runtime;

namespace Weir.Protocol.Frames;

/// <summary>
/// Collects whole frames for one channel. A payload is written straight into the output; its length is filled in
/// when the frame ends. Large payloads can be borrowed from the caller instead of copied.
/// </summary>
/// <remarks>
/// One thread at a time. Only frames that were ended are seen by <see cref="TryPeek"/>; an open one can be discarded
/// with <see cref="Discard"/>. Memory comes from the shared array pool in pieces of at least 16 KB; the code that fills
/// the writer limits how much waits in it.
/// </remarks>
internal sealed class FrameWriter : IBufferWriter<byte>, IDisposable
{
    /// <summary>Payloads shorter than this are copied even when they could be borrowed: the copy costs less than a second piece.</summary>
    public const int LeastBorrowed = 4 << 10;

    /// <summary>The size of a piece.</summary>
    public const int PieceSize = 16 << 10;

    // An array, no list: a list of Weir's own structs is in no precompiled image and would be compiled before READY.
    private Piece[] _pieces = new Piece[2];
    private int _count;
    private int _head;              // The first piece that is not consumed.
    private int _headConsumed;      // Bytes of it that are consumed.
    private bool _open;
    private FrameHeader _header;
    private FramePatch _headerPlace;
    private int _openPiece;         // Where the open frame began: piece,
    private int _openLength;        // and bytes in it.
    private long _payload;

    /// <summary>A writer with a limit.</summary>
    /// <param name="mostPayload">The limit of one payload in bytes; default 64 MB.</param>
    /// <param name="first">The first piece, for a writer whose process has not used the array pool yet; default one of the pool.</param>
    public FrameWriter(int mostPayload = FrameReader.DefaultMostPayload, byte[]? first = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(mostPayload);
        MostPayload = mostPayload;
        if (first is not null)
        {
            Add(new Piece(first, default, 0));
        }
    }

    /// <summary>The limit of one payload in bytes; a longer one fails in <see cref="End"/>.</summary>
    public int MostPayload { get; set; }

    /// <summary>Bytes of ended frames that are not consumed.</summary>
    public long Pending { get; private set; }

    /// <summary>Payload bytes of the open frame so far.</summary>
    public long PayloadLength => _payload;

    /// <summary>Opens a frame; its payload is written into this writer until <see cref="End"/>.</summary>
    /// <param name="type">The frame's type.</param>
    /// <param name="callId">The call it is about; 0 for none.</param>
    /// <param name="flags">Its flags; more may be added in <see cref="End"/>.</param>
    /// <exception cref="InvalidOperationException">A frame is open.</exception>
    public void Begin(FrameType type, ulong callId, FrameFlags flags = FrameFlags.None)
    {
        if (_open)
        {
            throw new InvalidOperationException($"{_header.Type} of call {_header.CallId} is not ended.");
        }

        MakeSpace(FrameHeader.Size);
        _openPiece = _count - 1;
        _openLength = _pieces[_openPiece].Length;
        _header = new FrameHeader(type, flags, callId, 0);
        _headerPlace = Reserve(FrameHeader.Size);
        _payload = 0;
        _open = true;
    }

    /// <summary>Ends the open frame: its header is filled in, and the frame may be sent.</summary>
    /// <param name="flags">Flags to add to those of <see cref="Begin"/>.</param>
    /// <returns>The bytes of the payload.</returns>
    /// <exception cref="PayloadTooLongException">The payload is longer than <see cref="MostPayload"/> or its type allows; the frame was discarded.</exception>
    public int End(FrameFlags flags = FrameFlags.None)
    {
        if (!_open)
        {
            throw new InvalidOperationException("No frame is open.");
        }

        var most = FrameRules.Of(_header.Type).MostUnder(MostPayload);
        if (_payload > most)
        {
            var length = _payload;
            Discard();
            throw new PayloadTooLongException(length, most);
        }

        var header = _header with { Flags = _header.Flags | flags, PayloadLength = (int)_payload };
        header.Write(_headerPlace.Span);
        _open = false;
        Pending += FrameHeader.Size + _payload;
        return (int)_payload;
    }

    /// <summary>Discards the open frame, as if it had not been begun. Does nothing when none is open.</summary>
    public void Discard()
    {
        if (!_open)
        {
            return;
        }

        while (_count > _openPiece + 1)
        {
            _pieces[--_count].Return();
            _pieces[_count] = default;
        }

        _pieces[_openPiece] = _pieces[_openPiece] with { Length = _openLength };
        _payload = 0;
        _open = false;
    }

    /// <summary>A frame without a payload.</summary>
    /// <param name="type">The frame's type.</param>
    /// <param name="callId">The call it is about; 0 for none.</param>
    /// <param name="flags">Its flags.</param>
    public void Append(FrameType type, ulong callId, FrameFlags flags = FrameFlags.None)
    {
        Begin(type, callId, flags);
        End();
    }

    /// <summary>A whole frame, header included, for the caller to write at once.</summary>
    /// <param name="length">Its bytes; more than 16 KB take an array of their own.</param>
    /// <returns>Exactly that many bytes, with undefined content; they are sent in any case.</returns>
    /// <exception cref="InvalidOperationException">A frame is open.</exception>
    public Span<byte> AppendWhole(int length)
    {
        if (_open)
        {
            throw new InvalidOperationException($"{_header.Type} of call {_header.CallId} is not ended.");
        }

        MakeSpace(length);
        ref var piece = ref _pieces[_count - 1];
        var start = piece.Length;
        piece = piece with { Length = start + length };
        Pending += length;
        return piece.Array.AsSpan(start, length);
    }

    /// <summary>Reserves bytes whose value is known only later: they are written through the returned place.</summary>
    /// <param name="count">How many, at most 16 KB.</param>
    public FramePatch Reserve(int count)
    {
        MakeSpace(count);
        var piece = _pieces[_count - 1];
        var place = new FramePatch(piece.Array!, piece.Length, count);
        place.Span.Clear();
        Advance(count);
        return place;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ref var piece = ref _pieces[_count - 1];
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, piece.Space);
        piece = piece with { Length = piece.Length + count };
        _payload += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        MakeSpace(Math.Max(sizeHint, 1));
        var piece = _pieces[_count - 1];
        return piece.Array.AsMemory(piece.Length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        MakeSpace(Math.Max(sizeHint, 1));
        var piece = _pieces[_count - 1];
        return piece.Array.AsSpan(piece.Length);
    }

    /// <summary>Copies bytes into the open frame.</summary>
    /// <param name="bytes">Any number.</param>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            var space = GetSpan();
            var count = Math.Min(space.Length, bytes.Length);
            bytes[..count].CopyTo(space);
            Advance(count);
            bytes = bytes[count..];
        }
    }

    /// <summary>
    /// Adds bytes to the open frame without copying them, if they are many. They must not change until they were
    /// consumed or <see cref="CopyBorrowed"/> was called.
    /// </summary>
    /// <param name="bytes">Any number.</param>
    public void Borrow(ReadOnlyMemory<byte> bytes)
    {
        if (bytes.Length < LeastBorrowed)
        {
            Write(bytes.Span);
            return;
        }

        Add(new Piece(null, bytes, bytes.Length));
        _payload += bytes.Length;
    }

    /// <summary>Copies the unsent rest of everything borrowed: from now on the owners may reuse their memory.</summary>
    public void CopyBorrowed()
    {
        for (var i = _head; i < _count; i++)
        {
            if (_pieces[i].Array is not null || _pieces[i].Length == 0)
            {
                continue;
            }

            var skip = i == _head ? _headConsumed : 0;
            var rest = _pieces[i].Borrowed[skip..];
            var copy = BoundedArrayPool.Rent(Math.Max(1, rest.Length));
            rest.Span.CopyTo(copy);
            _pieces[i] = new Piece(copy, default, rest.Length);
            if (i == _head)
            {
                _headConsumed = 0;
            }
        }
    }

    /// <summary>The next run of bytes to send; the caller sends any part of it and calls <see cref="Consume"/>.</summary>
    /// <param name="bytes">Not empty when the method returns <see langword="true"/>.</param>
    public bool TryPeek(out ReadOnlyMemory<byte> bytes)
    {
        bytes = default;
        if (Pending == 0)
        {
            return false;
        }

        while (_pieces[_head].Length == _headConsumed)
        {
            NextPiece();
        }

        var piece = _pieces[_head];
        var run = piece.Array is null ? piece.Borrowed : piece.Array.AsMemory(0, piece.Length);
        bytes = run[_headConsumed..(int)Math.Min(piece.Length, _headConsumed + Pending)];
        return true;
    }

    /// <summary>Consumes bytes of the last peeked run, which were sent.</summary>
    /// <param name="count">At most the run's length.</param>
    public void Consume(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Pending);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _head < _count ? _pieces[_head].Length - _headConsumed : 0);
        _headConsumed += count;
        Pending -= count;
        if (Pending == 0 && !_open)
        {
            Reset();
        }
    }

    /// <summary>Drops everything and gives the memory back.</summary>
    public void Dispose()
    {
        _open = false;
        Pending = 0;
        while (_head < _count)
        {
            NextPiece();
        }

        _count = _head = _headConsumed = 0;
    }

    // Keeps the first piece, so that a writer in steady use rents nothing.
    private void Reset()
    {
        while (_head < _count - 1)
        {
            NextPiece();
        }

        _headConsumed = 0;
        if (_count == 0)
        {
            return;
        }

        var last = _pieces[_count - 1];
        _pieces[_count - 1] = default;
        _count = _head = 0;
        if (last.Array is { Length: <= 4 * PieceSize })
        {
            Add(last with { Length = 0 });
        }
        else
            last.Return();
    }

    private void NextPiece()
    {
        _pieces[_head].Return();
        _pieces[_head] = default;
        _head++;
        _headConsumed = 0;
    }

    private void MakeSpace(int count)
    {
        if (_count == _head || _pieces[_count - 1].Space < count)
        {
            Add(new Piece(BoundedArrayPool.Rent(Math.Max(PieceSize, count)), default, 0));
        }
    }

    private void Add(in Piece piece)
    {
        if (_count == _pieces.Length)
        {
            var larger = new Piece[_count * 2];
            Array.Copy(_pieces, larger, _count);
            _pieces = larger;
        }

        _pieces[_count++] = piece;
    }

    // A run of bytes: the first Length of an array that this writer owns, or borrowed memory.
    private readonly record struct Piece(byte[]? Array, ReadOnlyMemory<byte> Borrowed, int Length)
    {
        public int Space => Array is null ? 0 : Array.Length - Length;

        public void Return()
        {
            if (Array is not null)
            {
                BoundedArrayPool.Return(Array);
            }
        }
    }
}
