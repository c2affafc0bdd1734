using System.Buffers;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>The elements of one JSON array. White space between them is skipped: a sender uses it to show that it is alive.</summary>
internal sealed class ArrayFraming : ItemFraming
{
    private static readonly SearchValues<byte> WhiteSpace = SearchValues.Create(" \t\r\n"u8);
    private static readonly SearchValues<byte> Structure = SearchValues.Create("\"[]{},"u8);

    private State _state;

    // Of the current item: how many brackets are open, and whether the next byte is in a string, or escaped in one.
    private int _depth;
    private bool _isInString;
    private bool _isEscaped;

    private enum State
    {
        BeforeArray,
        BeforeFirst,
        BeforeItem,
        InItem,
        Closed,
    }

    internal override bool PassesOverBlank => false;

    internal override string Expected => "one JSON array and nothing after it";

    internal override bool TryScan(ReadOnlySpan<byte> bytes, out ItemPart part)
    {
        part = new ItemPart(0, 0, bytes.Length, IsWhole: false);
        var start = 0;
        if (_state != State.InItem)
        {
            start = bytes.IndexOfAnyExcept(WhiteSpace);
            if (start < 0)
            {
                return true;
            }

            switch ((_state, bytes[start]))
            {
                case (State.BeforeArray, (byte)'['):
                    _state = State.BeforeFirst;
                    part = part with { Consumed = start + 1 };
                    return true;
                case (State.BeforeFirst, (byte)']'):
                    _state = State.Closed;
                    part = part with { Consumed = start + 1 };
                    return true;
                case (State.BeforeArray or State.Closed, _):
                    return false;
                default:
                    _state = State.InItem;
                    break;
            }
        }

        part = ScanItem(bytes, start);
        return true;
    }

    internal override bool TryEnd(out bool isWhole)
    {
        isWhole = false;
        return _state == State.Closed;
    }

    private ItemPart ScanItem(ReadOnlySpan<byte> bytes, int start)
    {
        var position = start;
        while (position < bytes.Length)
        {
            if (_isEscaped)
            {
                _isEscaped = false;
                position++;
                continue;
            }

            var rest = bytes[position..];
            var next = _isInString ? rest.IndexOfAny((byte)'"', (byte)'\\') : rest.IndexOfAny(Structure);
            if (next < 0)
            {
                break;
            }

            position += next;
            if (IsEnd(bytes[position]))
            {
                return new ItemPart(start, position - start, position + 1, IsWhole: true);
            }

            position++;
        }

        return new ItemPart(start, bytes.Length - start, bytes.Length, IsWhole: false);
    }

    private bool IsEnd(byte mark)
    {
        switch (mark)
        {
            case (byte)'\\':
                _isEscaped = true;
                return false;
            case (byte)'"':
                _isInString = !_isInString;
                return false;
            case (byte)'[' or (byte)'{':
                _depth++;
                return false;
            case (byte)',' when _depth == 0:
                _state = State.BeforeItem;
                return true;
            case (byte)']' when _depth == 0:
                _state = State.Closed;
                return true;
            case (byte)']' or (byte)'}' when _depth > 0:
                _depth--;
                return false;
            default:
                return false;
        }
    }
}
