using System.Text;

namespace Weir.Protocol;

/// <summary>
/// A CALL as a view over the reader's buffer; written by <see cref="CallWriter"/>.
/// </summary>
/// <remarks>
/// <code>
///  0   u16  operation number            18  …    traceparent, ASCII
///  2   u8   wished result encoding      ·   …    tracestate, ASCII
///  3   u8   reserved, 0                 ·   parts, one after the other:
///  4   u32  initial credit                      0  u8   kind
///  8   i64  remaining ms, -1 none               1  u8   reserved, 0
///  16  u8   traceparent length                  2  u16  parameter index (0 for JSON)
///  17  u8   reserved, 0                         4  u32  length
///  18  u16  tracestate length                   8  …    bytes
///  20  u16  part count
///  22  u16  reserved, 0
/// </code>
/// </remarks>
public readonly ref struct CallPayload
{
    /// <summary>The bytes before the trace context.</summary>
    public const int FixedSize = 24;

    internal const int PartHeaderSize = 8;

    private CallPayload(
        ushort operation,
        ResultEncoding resultEncoding,
        uint initialCredit,
        long remainingMilliseconds,
        ReadOnlySpan<byte> traceParent,
        ReadOnlySpan<byte> traceState,
        CallParts parts)
    {
        Operation = operation;
        ResultEncoding = resultEncoding;
        InitialCredit = initialCredit;
        RemainingMilliseconds = remainingMilliseconds;
        TraceParent = traceParent;
        TraceState = traceState;
        Parts = parts;
    }

    /// <summary>The number of the operation in the table of READY; not checked against it here.</summary>
    public ushort Operation { get; }

    /// <summary>The wished encoding of the result.</summary>
    public ResultEncoding ResultEncoding { get; }

    /// <summary>The first credit for streamed items, in bytes.</summary>
    public uint InitialCredit { get; }

    /// <summary>What was left of the deadline when the frame was written; -1 for none.</summary>
    public long RemainingMilliseconds { get; }

    /// <summary>The W3C <c>traceparent</c>, ASCII; empty for none.</summary>
    public ReadOnlySpan<byte> TraceParent { get; }

    /// <summary>The W3C <c>tracestate</c>, ASCII; empty for none.</summary>
    public ReadOnlySpan<byte> TraceState { get; }

    /// <summary>The argument parts; every one of them was checked.</summary>
    public CallParts Parts { get; }

    /// <summary>Reads and checks the whole payload.</summary>
    /// <param name="payload">The payload of a CALL.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static CallPayload Read(ReadOnlyMemory<byte> payload)
    {
        var fields = new FieldReader(FrameType.Call, payload.Span);
        var operation = fields.U16();
        var encoding = (ResultEncoding)fields.U8();
        if (encoding > ResultEncoding.Raw)
        {
            throw fields.Malformed($"result encoding {(byte)encoding} is not assigned");
        }

        fields.Zero(fields.U8(), "byte 3");
        var credit = fields.U32();
        var remaining = fields.I64();
        if (remaining < -1)
        {
            throw fields.Malformed($"{remaining} ms are left of the deadline");
        }

        var traceParentLength = fields.U8();
        fields.Zero(fields.U8(), "byte 17");
        var traceStateLength = fields.U16();
        var partCount = fields.U16();
        fields.Zero(fields.U16(), "word 22");
        var traceParent = fields.Bytes(traceParentLength);
        var traceState = fields.Bytes(traceStateLength);

        var parts = new CallParts(payload[^fields.Left..], partCount);
        var values = 0;
        for (var i = 0; i < partCount; i++)
        {
            var kind = (PartKind)fields.U8();
            if (kind is not (PartKind.Json or PartKind.Raw))
            {
                throw fields.Malformed($"part kind {(byte)kind} is not assigned or not agreed");
            }

            fields.Zero(fields.U8(), "the reserved byte of a part");
            var parameter = fields.U16();
            if (kind == PartKind.Json)
            {
                fields.Zero(parameter, "the parameter index of the JSON part");
                if (++values > 1)
                {
                    throw fields.Malformed("two parts are JSON");
                }
            }

            fields.Bytes(fields.U32());
        }

        fields.Finish();
        return new CallPayload(operation, encoding, credit, remaining, traceParent, traceState, parts);
    }

    /// <summary>The <c>traceparent</c> as text; <c>null</c> for none.</summary>
    public string? TraceParentText() => TraceParent.IsEmpty ? null : Encoding.ASCII.GetString(TraceParent);

    /// <summary>The <c>tracestate</c> as text; <c>null</c> for none.</summary>
    public string? TraceStateText() => TraceState.IsEmpty ? null : Encoding.ASCII.GetString(TraceState);
}
