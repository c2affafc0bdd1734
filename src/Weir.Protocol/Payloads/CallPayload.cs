using System.Buffers.Binary;
using System.Text;
using Weir.Protocol.Frames;
using Weir.Runtime;

namespace Weir.Protocol.Payloads;

/// <summary>
/// A CALL as a view over the reader's buffer; written by <see cref="CallWriter"/>.
/// </summary>
/// <remarks>
/// <code>
///  0   u16  operation number            18  …    traceparent, ASCII
///  2   u8   requested result encoding   ·   …    tracestate, ASCII
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
internal readonly ref struct CallPayload
{
    /// <summary>The bytes before the trace context.</summary>
    public const int FixedSize = PayloadSizes.Call;

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

    /// <summary>The requested encoding of the result.</summary>
    public ResultEncoding ResultEncoding { get; }

    /// <summary>The first credit for streamed items, in bytes.</summary>
    public uint InitialCredit { get; }

    /// <summary>What was left of the deadline when the frame was written; -1 for none.</summary>
    public long RemainingMilliseconds { get; }

    /// <summary>The W3C <c>traceparent</c>, ASCII; empty for none.</summary>
    public ReadOnlySpan<byte> TraceParent { get; }

    /// <summary>The W3C <c>tracestate</c>, ASCII; empty for none.</summary>
    public ReadOnlySpan<byte> TraceState { get; }

    /// <summary>The parts; every one of them was checked.</summary>
    public CallParts Parts { get; }

    /// <summary>Reads and checks the whole payload.</summary>
    /// <param name="payload">The payload of a CALL.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static CallPayload Read(ReadOnlyMemory<byte> payload)
    {
        // 1. The fixed fields, with one check: every call comes through here.
        var bytes = payload.Span;
        if (bytes.Length < FixedSize)
        {
            throw Malformed($"{bytes.Length} bytes are too short for a CALL, which has at least {FixedSize}");
        }

        var encoding = (ResultEncoding)bytes[2];
        var remaining = BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]);
        var traceParentLength = bytes[16];
        var traceStateLength = BinaryPrimitives.ReadUInt16LittleEndian(bytes[18..]);
        var partCount = BinaryPrimitives.ReadUInt16LittleEndian(bytes[20..]);
        if (encoding > ResultEncoding.Raw || remaining < -1 || (bytes[3] | bytes[17] | bytes[22] | bytes[23]) != 0)
        {
            throw Malformed($"result encoding {(byte)encoding}, {remaining} ms left, reserved bytes {bytes[3]}, {bytes[17]}, {bytes[22]}, {bytes[23]}: one of them is not assigned, or not 0");
        }

        // 2. The trace.
        var rest = bytes[FixedSize..];
        if (rest.Length < traceParentLength + traceStateLength)
        {
            throw Malformed($"{traceParentLength} and {traceStateLength} bytes of trace are announced where {rest.Length} are left");
        }

        var traceParent = rest[..traceParentLength];
        var traceState = rest.Slice(traceParentLength, traceStateLength);
        rest = rest[(traceParentLength + traceStateLength)..];

        // 3. The parts.
        var parts = new CallParts(payload[^rest.Length..], partCount);
        CheckParts(rest, partCount);
        return new CallPayload(
            BinaryPrimitives.ReadUInt16LittleEndian(bytes), encoding, BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]), remaining, traceParent, traceState, parts);
    }

    /// <summary>The <c>traceparent</c> as text; <c>null</c> for none.</summary>
    public string? TraceParentText() => TraceParent.IsEmpty ? null : Encoding.ASCII.GetString(TraceParent);

    /// <summary>The <c>tracestate</c> as text; <c>null</c> for none.</summary>
    public string? TraceStateText() => TraceState.IsEmpty ? null : Encoding.ASCII.GetString(TraceState);

    private static void CheckParts(ReadOnlySpan<byte> rest, int count)
    {
        int values = 0, contexts = 0, callers = 0;
        for (var i = 0; i < count; i++)
        {
            if (rest.Length < PartHeaderSize)
            {
                throw Malformed($"part {i} begins {PartHeaderSize - rest.Length} bytes before the end");
            }

            var kind = (PartKind)rest[0];
            var parameter = BinaryPrimitives.ReadUInt16LittleEndian(rest[2..]);
            if (kind is not (PartKind.Json or PartKind.Raw or PartKind.Context or PartKind.Caller) || rest[1] != 0)
            {
                throw Malformed($"part kind {(byte)kind} is not assigned or not agreed, or its reserved byte is {rest[1]}");
            }

            if (kind == PartKind.Json && (parameter != 0 || ++values > 1))
            {
                throw Malformed(parameter != 0 ? $"the parameter index of the JSON part is {parameter}, not 0" : "two parts are JSON");
            }

            if (kind == PartKind.Context && (parameter != 0 || ++contexts > 1))
            {
                throw Malformed(parameter != 0 ? $"the parameter index of the context is {parameter}, not 0" : "two parts are contexts");
            }

            if (kind == PartKind.Caller && (parameter != 0 || ++callers > 1))
            {
                throw Malformed(parameter != 0 ? $"the parameter index of the caller is {parameter}, not 0" : "two parts are callers");
            }

            var length = BinaryPrimitives.ReadUInt32LittleEndian(rest[4..]);
            if (length > (uint)(rest.Length - PartHeaderSize))
            {
                throw Malformed($"{length} bytes are announced where {rest.Length - PartHeaderSize} are left");
            }

            rest = rest[(PartHeaderSize + (int)length)..];
        }

        if (rest.Length != 0)
        {
            throw Malformed($"{rest.Length} bytes follow the last part");
        }
    }

    private static FrameException Malformed(string detail) => new(FrameError.MalformedPayload, $"{FrameType.Call}: {detail}");
}
