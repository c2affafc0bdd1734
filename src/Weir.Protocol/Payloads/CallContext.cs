using System.Text;
using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>What surrounds a call in the host and is the same in the worker while the call runs: the part of a CALL that is no argument.</summary>
/// <remarks>
/// <code>
///  u8    1: the culture follows, 0: it is the worker's own
///  text  culture, text UI culture: names as in BCP 47, empty for the invariant culture; only with 1
///  u16   baggage of the trace, each: text key, text value
///  u16   items, each: text key, text value
/// </code>
/// </remarks>
internal sealed class CallContext
{
    // One of the items that say which job a call is an attempt of.
    private const string JobItem = "weir.job.id";

    private const int CountsSize = 5;
    private const int LeastPairSize = 8;

    /// <summary>The name of the culture; <c>null</c> for the worker's own.</summary>
    public string? Culture { get; init; }

    /// <summary>The name of the culture of texts for users; <c>null</c> together with <see cref="Culture"/>.</summary>
    public string? UICulture { get; init; }

    /// <summary>The baggage of the trace. At most 65,535.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Baggage { get; init; } = [];

    /// <summary>Those items of the operation's context that are text. At most 65,535.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Items { get; init; } = [];

    /// <summary>Whether the call is an attempt of a job, as its items say.</summary>
    public bool IsOfJob
    {
        get
        {
            for (var i = 0; i < Items.Count; i++)
            {
                if (Items[i].Key == JobItem)
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Its bytes in a frame.</summary>
    public long Size => CountsSize + (Culture is null ? 0 : SizeOf(Culture) + SizeOf(UICulture!)) + SizeOf(Baggage) + SizeOf(Items);

    /// <summary>Writes it into the open part of a CALL.</summary>
    public void Write(FrameWriter frame)
    {
        var fields = new FieldWriter(frame);
        fields.U8(Culture is null ? (byte)0 : (byte)1);
        if (Culture is not null)
        {
            fields.Text(Culture);
            fields.Text(UICulture);
        }

        Write(fields, Baggage);
        Write(fields, Items);
    }

    /// <summary>Reads the part.</summary>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static CallContext Read(ReadOnlySpan<byte> part)
    {
        var fields = new FieldReader(FrameType.Call, part);
        var hasCulture = fields.U8();
        if (hasCulture > 1)
        {
            throw fields.Malformed($"{hasCulture} is neither 0 (no culture) nor 1 (a culture)");
        }

        var (culture, ui) = hasCulture == 1 ? (fields.Text(), fields.Text()) : (null, null);
        var context = new CallContext { Culture = culture, UICulture = ui, Baggage = ReadPairs(ref fields), Items = ReadPairs(ref fields) };
        fields.Finish();
        return context;
    }

    private static long SizeOf(string text) => sizeof(uint) + Encoding.UTF8.GetByteCount(text);

    private static long SizeOf(IReadOnlyList<KeyValuePair<string, string>> pairs)
    {
        long size = 0;
        for (var i = 0; i < pairs.Count; i++)
        {
            size += SizeOf(pairs[i].Key) + SizeOf(pairs[i].Value);
        }

        return size;
    }

    private static void Write(in FieldWriter fields, IReadOnlyList<KeyValuePair<string, string>> pairs)
    {
        fields.U16(checked((ushort)pairs.Count));
        for (var i = 0; i < pairs.Count; i++)
        {
            fields.Text(pairs[i].Key);
            fields.Text(pairs[i].Value);
        }
    }

    private static KeyValuePair<string, string>[] ReadPairs(ref FieldReader fields)
    {
        var pairs = new KeyValuePair<string, string>[fields.Count(fields.U16(), LeastPairSize)];
        for (var i = 0; i < pairs.Length; i++)
        {
            pairs[i] = new(fields.Text(), fields.Text());
        }

        return pairs;
    }
}
