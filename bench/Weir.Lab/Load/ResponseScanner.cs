using System.Buffers.Text;

namespace Weir.Lab.Load;

/// <summary>Finds the ends of HTTP/1.1 responses in a stream of bytes that may be cut anywhere.</summary>
/// <remarks>
/// Understands Content-Length and chunked bodies and 204; nothing else is asked of the servers measured here.
/// A mutable struct: it lives in one connection, and only the reactor touches it.
/// </remarks>
internal struct ResponseScanner
{
    private State _state;
    private int _status;
    private bool _chunked;
    private bool _closes;
    private long _left;
    private long _number;
    private byte _lineLength;
    private LineBuffer _line;

    private enum State
    {
        StatusLine,
        Header,
        Body,
        ChunkSize,
        ChunkBody,
        ChunkEnd,
        Trailer,
    }

    /// <summary>The status of the response that ended last.</summary>
    public int Status { get; private set; }

    /// <summary>Whether the response that ended last was the last on its connection.</summary>
    public bool Closes { get; private set; }

    /// <summary>
    /// Reads until one response has ended and says how many bytes that took; all bytes were taken and none has ended when
    /// it returns false.
    /// </summary>
    public bool TryEnd(ReadOnlySpan<byte> bytes, out int taken)
    {
        taken = 0;
        while (taken < bytes.Length)
        {
            if (_state is State.Body or State.ChunkBody)
            {
                var step = (int)Math.Min(_left, bytes.Length - taken);
                taken += step;
                _left -= step;
                if (_left > 0)
                    return false;
                if (_state == State.Body)
                    return End();
                _state = State.ChunkEnd;
                continue;
            }

            var end = bytes[taken..].IndexOf((byte)'\n');
            if (end < 0)
            {
                Keep(bytes[taken..]);
                taken = bytes.Length;
                return false;
            }

            Keep(bytes.Slice(taken, end));
            taken += end + 1;
            var line = ((ReadOnlySpan<byte>)_line)[.._lineLength];
            if (line is [.., (byte)'\r'])
                line = line[..^1];
            var ended = Line(line);
            _lineLength = 0;
            if (ended)
                return End();
        }

        return false;
    }

    private bool End()
    {
        Status = _status;
        Closes = _closes;
        _state = State.StatusLine;
        return true;
    }

    // Whether the response ended with this line.
    private bool Line(ReadOnlySpan<byte> line)
    {
        switch (_state)
        {
            case State.StatusLine:
                _ = Utf8Parser.TryParse(line.Length > 9 ? line[9..] : default, out _status, out _);
                _number = 0;
                _chunked = false;
                _closes = false;
                _state = State.Header;
                return false;

            case State.Header when line.IsEmpty:
                _left = _number;
                _state = _chunked ? State.ChunkSize : State.Body;
                return !_chunked && _left == 0;

            case State.Header:
                Header(line);
                return false;

            case State.ChunkSize:
                _ = Utf8Parser.TryParse(line, out _left, out _, 'x');
                _state = _left == 0 ? State.Trailer : State.ChunkBody;
                return false;

            case State.ChunkEnd:
                _state = State.ChunkSize;
                return false;

            default:
                return line.IsEmpty;
        }
    }

    private void Header(ReadOnlySpan<byte> line)
    {
        if (IsHeader(line, "content-length:"u8))
            _ = Utf8Parser.TryParse(line["content-length:"u8.Length..].TrimStart((byte)' '), out _number, out _);
        else if (IsHeader(line, "transfer-encoding:"u8))
            _chunked = true;
        else if (IsHeader(line, "connection: close"u8))
            _closes = true;
    }

    private static bool IsHeader(ReadOnlySpan<byte> line, ReadOnlySpan<byte> name) =>
        line.Length >= name.Length && System.Text.Ascii.EqualsIgnoreCase(line[..name.Length], name);

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
