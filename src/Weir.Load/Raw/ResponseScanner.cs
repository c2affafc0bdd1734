using System.Buffers.Text;
using System.Text;
using Weir.Load.Measuring;

namespace Weir.Load.Raw;

/// <summary>Finds heads, pieces of bodies and ends of HTTP/1.1 responses in a stream of bytes that may be cut anywhere.</summary>
/// <remarks>
/// Understands Content-Length, chunked bodies, bodies that end with the connection, and responses without a body. A mutable struct: it lives in one
/// connection, and only the reactor touches it.
/// </remarks>
internal struct ResponseScanner
{
    private State _state;
    private bool _isChunked;
    private bool _hasLength;
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
                found = Line(WithoutReturn(kept[.._lineLength]));
                _lineLength = 0;
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
                if (!Utf8Parser.TryParse(line, out _left, out _, 'x') || _left < 0)
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

    private ResponseEvent StatusLine(ReadOnlySpan<byte> line)
    {
        if (!line.StartsWith("HTTP/1."u8) || line.Length < 12 || !Utf8Parser.TryParse(line[9..], out int status, out _))
        {
            return ResponseEvent.Invalid;
        }

        Status = status;
        Closes = line[7] == '0';
        Format = ItemFormat.Piece;
        (_length, _hasLength, _isChunked) = (0, false, false);
        _state = State.Header;
        return ResponseEvent.None;
    }

    private ResponseEvent Head()
    {
        // "100 Continue" and the like precede the response.
        if (Status is >= 100 and < 200)
        {
            _state = State.StatusLine;
            return ResponseEvent.None;
        }

        _left = _length;
        _state = IsHead || Status is 204 or 304 ? State.Ended
            : _isChunked ? State.ChunkSize
            : !_hasLength ? State.BodyToEnd
            : _left == 0 ? State.Ended : State.Body;
        Closes |= _state == State.BodyToEnd;
        return ResponseEvent.Head;
    }

    private ResponseEvent Header(ReadOnlySpan<byte> line)
    {
        if (IsHeader(line, "content-length:"u8, out var value))
        {
            _hasLength = true;
            return Utf8Parser.TryParse(value, out _length, out _) && _length >= 0 ? ResponseEvent.None : ResponseEvent.Invalid;
        }

        if (IsHeader(line, "transfer-encoding:"u8, out _))
        {
            _isChunked = true;
        }
        else if (IsHeader(line, "connection:"u8, out value))
        {
            Closes = Ascii.EqualsIgnoreCase(value, "close"u8) || (Closes && !Ascii.EqualsIgnoreCase(value, "keep-alive"u8));
        }
        else if (IsHeader(line, "content-type:"u8, out value))
        {
            Format = ItemFormats.Of(value);
        }

        return ResponseEvent.None;
    }

    private static bool IsHeader(ReadOnlySpan<byte> line, ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        var matches = line.Length >= name.Length && (line[0] | 0x20) == name[0] && Ascii.EqualsIgnoreCase(line[..name.Length], name);
        value = matches ? line[name.Length..].Trim((byte)' ') : default;
        return matches;
    }

    // Lines longer than the buffer are none that matter here; their rest is dropped.
    private void Keep(ReadOnlySpan<byte> part)
    {
        Span<byte> line = _line;
        var step = Math.Min(part.Length, line.Length - _lineLength);
        part[..step].CopyTo(line[_lineLength..]);
        _lineLength += (byte)step;
    }

    [System.Runtime.CompilerServices.InlineArray(128)]
    private struct LineBuffer
    {
        private byte _first;
    }
}
