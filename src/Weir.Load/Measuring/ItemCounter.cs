namespace Weir.Load.Measuring;

/// <summary>Counts the items in the body of a stream, which may be cut anywhere.</summary>
/// <remarks>A mutable struct: it lives in one exchange. Lines end with LF or CR LF, and those of an event stream with CR alone, too.</remarks>
internal struct ItemCounter(ItemFormat format)
{
    // The first bytes of the line so far; longer lines are all alike.
    private uint _start;
    private int _length;
    private bool _hasData;

    // The last byte was a CR that ended a line of an event stream: a LF behind it belongs to it.
    private bool _isAfterReturn;

    /// <summary>How many items end in the next bytes of the body.</summary>
    public int Feed(ReadOnlySpan<byte> body)
    {
        if (format == ItemFormat.Piece)
        {
            return body.IsEmpty ? 0 : 1;
        }

        var items = 0;
        while (!body.IsEmpty)
        {
            if (_isAfterReturn)
            {
                _isAfterReturn = false;
                if (body[0] == '\n')
                {
                    body = body[1..];
                    continue;
                }
            }

            var end = format == ItemFormat.Event ? body.IndexOfAny((byte)'\n', (byte)'\r') : body.IndexOf((byte)'\n');
            Keep(end < 0 ? body : body[..end]);
            if (end < 0)
            {
                break;
            }

            items += EndsItem() ? 1 : 0;
            _length = 0;
            _start = 0;
            _isAfterReturn = body[end] == '\r';
            body = body[(end + 1)..];
        }

        return items;
    }

    /// <summary>How many items end with the body itself: a last line without a line end.</summary>
    public readonly int End() => format == ItemFormat.Line && _length > 0 ? 1 : 0;

    private bool EndsItem()
    {
        var isEmpty = _length == 0 || (_length == 1 && (_start >> 24) == '\r');
        if (format == ItemFormat.Line)
        {
            return !isEmpty;
        }

        _hasData |= _start == (('d' << 24) | ('a' << 16) | ('t' << 8) | 'a');
        var ends = isEmpty && _hasData;
        _hasData &= !isEmpty;
        return ends;
    }

    private void Keep(ReadOnlySpan<byte> part)
    {
        for (var i = 0; i < part.Length && _length + i < 4; i++)
        {
            _start |= (uint)part[i] << (8 * (3 - _length - i));
        }

        _length = (int)Math.Min(int.MaxValue, (long)_length + part.Length);
    }
}
