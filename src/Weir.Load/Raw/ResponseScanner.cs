using System.Buffers.Text;
using System.Text;
using Weir.Load.Measuring;

namespace Weir.Load.Raw;

/// <summary>Finds heads, pieces of bodies and ends of HTTP/1.1 responses in a stream of bytes that may be cut anywhere.</summary>
/// <remarks>
/// Understands Content-Length, chunked bodies, bodies that end with the connection, and responses without a body, and refuses what RFC 9112 calls no
/// response: a length that is not clear would make the next answer of what belongs to this one. A mutable struct: it lives in one connection, and only the
/// reactor touches it.
/// </remarks>
internal struct ResponseScanner
{
    private State _state;
    private bool _isChunked;
    private bool _isCoded;
    private bool _hasLength;
    private bool _keepsAlive;
    private bool _closes;
    private bool _isFraming;
    private bool _isCut;
    private long _left;
    private long _length;
    private byte _lineLength;
    private LineBuffer _line;

    private enum State
    {
        StatusLine,
        Header,
        Body,
        BodyToEnd,
        Ended,
        ChunkSize,
        ChunkBody,
        ChunkEnd,
        Trailer,
    }

    /// <summary>Whether the responses are to HEAD requests: none has a body, whatever its headers say.</summary>
    public bool IsHead { get; init; }

    /// <summary>The status of the response that ended last, or whose headers have ended.</summary>
    public int Status { get; private set; }

    /// <summary>Whether this response is the last on its connection.</summary>
    public bool Closes { get; private set; }

    /// <summary>What one item of its body is.</summary>
    public ItemFormat Format { get; private set; }

    /// <summary>Whether a part of a response has arrived, and its end has not.</summary>
    public readonly bool IsInside => _state != State.StatusLine || _lineLength > 0;

    /// <summary>Whether the response ends with its connection.</summary>
    public readonly bool EndsWithConnection => _state == State.BodyToEnd;

    /// <summary>
    /// Reads until one response has ended and says how many bytes that took; all bytes were taken and none has ended when
    /// it returns false.
    /// </summary>
    public bool TryEnd(ReadOnlySpan<byte> bytes, out int taken)
    {
        var left = bytes;
        ResponseEvent found;
        do
        {
            found = Read(ref left, out _);
        }
        while (found is ResponseEvent.Head or ResponseEvent.Body);

        taken = bytes.Length - left.Length;
        return found == ResponseEvent.End;
    }

    /// <summary>Takes bytes up to the next event.</summary>
    public ResponseEvent Read(ref ReadOnlySpan<byte> bytes, out ReadOnlySpan<byte> body)
    {
        body = default;
        if (_state == State.Ended)
        {
            return End();
        }

        while (!bytes.IsEmpty)
        {
            if (_state is State.Body or State.ChunkBody or State.BodyToEnd)
            {
                body = Take(ref bytes);
                return ResponseEvent.Body;
            }

            var end = bytes.IndexOf((byte)'\n');
            if (end < 0)
            {
                Keep(bytes);
                bytes = default;
                return ResponseEvent.None;
            }

            // A line that is whole is read where it is.
            ResponseEvent found;
            if (_lineLength == 0)
            {
                found = Line(WithoutReturn(bytes[..end]));
            }
            else
            {
                Keep(bytes[..end]);
                ReadOnlySpan<byte> kept = _line;
                found = Line(_isCut ? kept[.._lineLength] : WithoutReturn(kept[.._lineLength]));
                _lineLength = 0;
                _isCut = false;
            }

            bytes = bytes[(end + 1)..];
            if (found != ResponseEvent.None)
            {
                return found;
            }
        }

        return ResponseEvent.None;
    }

    private ReadOnlySpan<byte> Take(ref ReadOnlySpan<byte> bytes)
    {
        var piece = _state == State.BodyToEnd ? bytes : bytes[..(int)Math.Min(_left, bytes.Length)];
        bytes = bytes[piece.Length..];
        _left -= piece.Length;
        if (_left == 0 && _state != State.BodyToEnd)
        {
            _state = _state == State.Body ? State.Ended : State.ChunkEnd;
        }

        return piece;
    }

    private ResponseEvent End()
    {
        _state = State.StatusLine;
        return ResponseEvent.End;
    }

    private static ReadOnlySpan<byte> WithoutReturn(ReadOnlySpan<byte> line) => line is [.. var content, (byte)'\r'] ? content : line;

    // A line without its end.
    private ResponseEvent Line(ReadOnlySpan<byte> line)
    {
        switch (_state)
        {
            case State.StatusLine:
                return StatusLine(line);

            case State.Header when line.IsEmpty:
                return Head();

            case State.Header:
                return Header(line);

            case State.ChunkSize:
                if (!Utf8Parser.TryParse(line, out _left, out var digits, 'x') || _left < 0 || !(TrimBlanks(line[digits..]) is [] or [(byte)';', ..]))
                {
                    return ResponseEvent.Invalid;
                }

                _state = _left == 0 ? State.Trailer : State.ChunkBody;
                return ResponseEvent.None;

            case State.ChunkEnd:
                _state = State.ChunkSize;
                return line.IsEmpty ? ResponseEvent.None : ResponseEvent.Invalid;

            default:
                return line.IsEmpty ? End() : ResponseEvent.None;
        }
    }

    // HTTP/1.1 200, and a reason that does not matter.
    private ResponseEvent StatusLine(ReadOnlySpan<byte> line)
    {
        if (!line.StartsWith("HTTP/1."u8) || line.Length < 12 || !IsDigit(line[7]) || line[8] != ' ' || (line.Length > 12 && line[12] != ' ')
            || !IsDigit(line[9]) || !IsDigit(line[10]) || !IsDigit(line[11]))
        {
            return ResponseEvent.Invalid;
        }

        Status = ((line[9] - '0') * 100) + ((line[10] - '0') * 10) + (line[11] - '0');
        Closes = line[7] == '0';
        Format = ItemFormat.Piece;
        (_length, _hasLength, _isChunked, _isCoded, _keepsAlive, _closes, _isFraming) = (0, false, false, false, false, false, false);
        _state = State.Header;
        return Status is >= 100 and <= 599 ? ResponseEvent.None : ResponseEvent.Invalid;
    }

    private ResponseEvent Head()
    {
        // "100 Continue" and the like precede the response. No request asks for another protocol.
        if (Status is >= 100 and < 200)
        {
            _state = State.StatusLine;
            return Status == 101 ? ResponseEvent.Invalid : ResponseEvent.None;
        }

        // An old version keeps its connection only where it says so; and where two headers contradict each other it is not used again.
        Closes = (Closes && !_keepsAlive) || _closes || (_isChunked && _hasLength);
        _left = _length;
        _state = IsHead || Status is 204 or 304 ? State.Ended
            : _isChunked ? State.ChunkSize
            : !_hasLength || _isCoded ? State.BodyToEnd
            : _left == 0 ? State.Ended : State.Body;
        Closes |= _state == State.BodyToEnd;
        return ResponseEvent.Head;
    }

    private ResponseEvent Header(ReadOnlySpan<byte> line)
    {
        // A line that begins with a blank continues the one before it, which matters where that one does.
        if (line[0] is (byte)' ' or (byte)'\t')
        {
            return _isFraming ? ResponseEvent.Invalid : ResponseEvent.None;
        }

        _isFraming = false;
        if (IsHeader(line, "content-length:"u8, out var value))
        {
            return IsCutFraming() ? ResponseEvent.Invalid : Lengths(value);
        }

        if (IsHeader(line, "transfer-encoding:"u8, out value))
        {
            return IsCutFraming() ? ResponseEvent.Invalid : Codings(value);
        }

        if (IsHeader(line, "connection:"u8, out value))
        {
            // The end of a list that is too long may say it.
            _closes |= IsCutFraming();
            while (TakeElement(ref value, out var option))
            {
                _closes |= Ascii.EqualsIgnoreCase(option, "close"u8);
                _keepsAlive |= Ascii.EqualsIgnoreCase(option, "keep-alive"u8);
            }

            return ResponseEvent.None;
        }

        if (IsHeader(line, "content-type:"u8, out value))
        {
            Format = ItemFormats.Of(value);
        }

        // A name, and directly behind it a colon.
        return _isCut || (line.IndexOf((byte)':') is > 0 and var colon && line[colon - 1] is not ((byte)' ' or (byte)'\t')) ? ResponseEvent.None : ResponseEvent.Invalid;
    }

    private bool IsCutFraming()
    {
        _isFraming = true;
        return _isCut;
    }

    // Several lengths are one if they are equal.
    private ResponseEvent Lengths(ReadOnlySpan<byte> value)
    {
        do
        {
            TakeElement(ref value, out var text);
            if (text.IsEmpty || !Utf8Parser.TryParse(text, out long length, out var digits) || digits != text.Length || !IsDigit(text[0]) || (_hasLength && length != _length))
            {
                return ResponseEvent.Invalid;
            }

            (_length, _hasLength) = (length, true);
        }
        while (!value.IsEmpty);

        return ResponseEvent.None;
    }

    // "chunked" is the last one, and once; a body with others only ends with its connection. "identity" was none.
    private ResponseEvent Codings(ReadOnlySpan<byte> value)
    {
        while (TakeElement(ref value, out var coding))
        {
            if (_isChunked)
            {
                return ResponseEvent.Invalid;
            }

            _isChunked = Ascii.EqualsIgnoreCase(coding, "chunked"u8);
            _isCoded |= !_isChunked && !Ascii.EqualsIgnoreCase(coding, "identity"u8);
        }

        return ResponseEvent.None;
    }

    // The next element of a list that commas separate.
    private static bool TakeElement(ref ReadOnlySpan<byte> list, out ReadOnlySpan<byte> element)
    {
        if (list.IsEmpty)
        {
            element = default;
            return false;
        }

        var end = list.IndexOf((byte)',');
        element = TrimBlanks(end < 0 ? list : list[..end]);
        list = end < 0 ? default : list[(end + 1)..];
        return true;
    }

    private static bool IsHeader(ReadOnlySpan<byte> line, ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        var matches = line.Length >= name.Length && (line[0] | 0x20) == name[0] && Ascii.EqualsIgnoreCase(line[..name.Length], name);
        value = matches ? TrimBlanks(line[name.Length..]) : default;
        return matches;
    }

    private static ReadOnlySpan<byte> TrimBlanks(ReadOnlySpan<byte> text) => text.Trim(" \t"u8);

    private static bool IsDigit(byte letter) => letter is >= (byte)'0' and <= (byte)'9';

    // Of a line that is longer than the buffer the rest is dropped, which its reader must know.
    private void Keep(ReadOnlySpan<byte> part)
    {
        Span<byte> line = _line;
        var step = Math.Min(part.Length, line.Length - _lineLength);
        part[..step].CopyTo(line[_lineLength..]);
        _lineLength += (byte)step;
        _isCut |= step < part.Length;
    }

    [System.Runtime.CompilerServices.InlineArray(128)]
    private struct LineBuffer
    {
        private byte _first;
    }
}
