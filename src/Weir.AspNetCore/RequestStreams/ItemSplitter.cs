using System.Buffers;
using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// Splits a body that arrives in pieces into items. An item that is in one piece is not copied; others are joined in a
/// buffer that the limit of one item bounds. Of one request; not for concurrent use.
/// </summary>
/// <param name="framing">Where items begin and end.</param>
/// <param name="parameter">The parameter's name, for binding errors.</param>
/// <param name="limit">How many bytes one item may have.</param>
internal sealed class ItemSplitter(ItemFraming framing, string parameter, int limit) : BodySplitter
{
    private readonly PayloadWriter _parts = new();
    private int _markSeen;
    private bool _isPastMark;
    private bool _isTaken;
    private long _count;
    private ReadOnlyMemory<byte> _current;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>The current item, without white space around it.</summary>
    internal override ReadOnlyMemory<byte> Current => _current;

    internal override ResultEncoding Encoding => ResultEncoding.Json;

    internal override bool IsCopied => false;

    internal override string Awaited => "complete item";

    internal override bool TryTake(ref ReadOnlySequence<byte> bytes)
    {
        if (_isTaken)
        {
            _isTaken = false;
            _current = default;
            _parts.Clear();
        }

        var used = 0L;
        foreach (var segment in bytes)
        {
            var piece = SkipMark(segment);
            used += segment.Length - piece.Length;
            while (!piece.IsEmpty)
            {
                if (!framing.TryScan(piece.Span, out var part))
                {
                    throw Malformed();
                }

                var content = piece.Slice(part.Start, part.Length);
                piece = piece[part.Consumed..];
                used += part.Consumed;
                if (Add(content, part.IsWhole))
                {
                    bytes = bytes.Slice(used);
                    return true;
                }
            }
        }

        bytes = bytes.IsEmpty ? bytes : bytes.Slice(bytes.End);
        return false;
    }

    internal override bool TryEnd()
    {
        CheckMark();
        return framing.TryEnd(out var isWhole) ? isWhole && Add(default, isWhole: true) : throw Malformed();
    }

    internal override BindingException Malformed(string expected) => new([new BindingError($"{parameter}[{_count}]", "body", BindingErrorReason.Malformed, expected)]);

    public override void Dispose() => _parts.Dispose();

    private bool Add(ReadOnlyMemory<byte> part, bool isWhole)
    {
        if (_parts.Length + (long)part.Length > limit)
        {
            throw new PayloadTooLargeException(
                CallStatus.BadRequest,
                $"{parameter}[{_count}] has more than {limit} bytes, which is WeirServerOptions.RequestItemLimit. {(limit < WeirServerOptions.LargestRequestItemLimit ? $"Send smaller items, or raise it to at most {WeirServerOptions.LargestRequestItemLimit}" : "Send smaller items; it cannot be raised")}. See {WeirCodes.PayloadTooLarge}.");
        }

        if (!isWhole || _parts.Length > 0)
        {
            _parts.Write(part.Span);
            part = _parts.WrittenMemory;
        }

        if (!isWhole)
        {
            return false;
        }

        _current = part.Trim(" \t\r\n"u8);
        if (_current.IsEmpty && framing.PassesOverBlank)
        {
            _parts.Clear();
            return false;
        }

        _count++;
        _isTaken = true;
        return true;
    }

    // The mark may be split between pieces like anything else.
    private ReadOnlyMemory<byte> SkipMark(ReadOnlyMemory<byte> bytes)
    {
        while (!_isPastMark && !bytes.IsEmpty)
        {
            if (_markSeen < ByteOrderMark.Length && bytes.Span[0] == ByteOrderMark[_markSeen])
            {
                _markSeen++;
                bytes = bytes[1..];
            }
            else
            {
                CheckMark();
                _isPastMark = true;
            }
        }

        return bytes;
    }

    private void CheckMark()
    {
        if (_markSeen != 0 && _markSeen != ByteOrderMark.Length)
        {
            throw Malformed();
        }
    }

    private BindingException Malformed() => Malformed(framing.Expected);
}
