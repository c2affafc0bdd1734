using System.Buffers.Binary;
using Weir.Protocol.Frames;
using Weir.Runtime;

namespace Weir.Protocol.Payloads;

/// <summary>
/// Writes one CALL: the fixed fields, then the parts one after the other. The layout is documented at
/// <see cref="CallPayload"/>.
/// </summary>
/// <remarks>A failure between <see cref="Begin"/> and <see cref="End"/> is undone by <see cref="FrameWriter.Discard"/>.</remarks>
internal ref struct CallWriter
{
    private readonly FrameWriter _frame;
    private FramePatch _countPlace;
    private FramePatch _partPlace;
    private long _partStart;
    private ushort _count;

    private CallWriter(FrameWriter frame) => _frame = frame;

    /// <summary>Writes a whole CALL at once, by copy: for short calls, the most frequent ones.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The next id of the channel.</param>
    /// <param name="call">The fixed fields, without a trace, a context and a caller.</param>
    /// <param name="values">The JSON part; empty for none.</param>
    /// <param name="raw">The raw parts.</param>
    public static void WriteShort(FrameWriter frame, ulong callId, in CallFields call, ReadOnlySpan<byte> values, ReadOnlySpan<BinaryArgument> raw)
    {
        ArgumentNullException.ThrowIfNull(frame);
        var length = CallPayload.FixedSize + (values.IsEmpty ? 0 : CallPayload.PartHeaderSize + values.Length);
        foreach (var part in raw)
        {
            length += CallPayload.PartHeaderSize + part.Bytes.Length;
        }

        var target = frame.AppendWhole(FrameHeader.Size + length);
        new FrameHeader(FrameType.Call, FrameFlags.None, callId, length).Write(target);
        target = target[FrameHeader.Size..];
        target[..CallPayload.FixedSize].Clear();
        BinaryPrimitives.WriteUInt16LittleEndian(target, call.Operation);
        target[2] = (byte)call.ResultEncoding;
        BinaryPrimitives.WriteUInt32LittleEndian(target[4..], call.InitialCredit);
        BinaryPrimitives.WriteInt64LittleEndian(target[8..], Math.Max(-1, call.RemainingMilliseconds));
        BinaryPrimitives.WriteUInt16LittleEndian(target[20..], (ushort)(raw.Length + (values.IsEmpty ? 0 : 1)));
        target = target[CallPayload.FixedSize..];
        if (!values.IsEmpty)
        {
            WritePart(ref target, PartKind.Json, 0, values);
        }

        foreach (var part in raw)
        {
            WritePart(ref target, PartKind.Raw, part.Parameter, part.Bytes.Span);
        }
    }

    /// <summary>Opens the frame and writes its fixed fields, its context and its caller.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The next id of the channel.</param>
    /// <param name="call">The fixed fields.</param>
    /// <exception cref="ArgumentException">The trace context is too long.</exception>
    public static CallWriter Begin(FrameWriter frame, ulong callId, in CallFields call)
    {
        ArgumentNullException.ThrowIfNull(frame);
        var traceParent = call.TraceParent ?? "";
        var traceState = call.TraceState ?? "";
        if (traceParent.Length > byte.MaxValue || traceState.Length > 8 << 10)
        {
            throw new ArgumentException("A traceparent has at most 255 characters, a tracestate at most 8,192.", nameof(call));
        }

        frame.Begin(FrameType.Call, callId);
        var writer = new CallWriter(frame);
        var fields = new FieldWriter(frame);
        fields.U16(call.Operation);
        fields.U8((byte)call.ResultEncoding);
        fields.U8(0);
        fields.U32(call.InitialCredit);
        fields.I64(Math.Max(-1, call.RemainingMilliseconds));
        fields.U8((byte)traceParent.Length);
        fields.U8(0);
        fields.U16((ushort)traceState.Length);
        writer._countPlace = frame.Reserve(2);
        fields.U16(0);
        fields.Ascii(traceParent);
        fields.Ascii(traceState);
        if (call.Context is { } context)
        {
            writer.BeginPart(PartKind.Context);
            context.Write(frame);
            writer.EndPart();
        }

        if (call.Caller is { } caller)
        {
            writer.BeginPart(PartKind.Caller);
            frame.Borrow(caller);
            writer.EndPart();
        }

        return writer;
    }

    /// <summary>Opens a part; its bytes are then written into the <see cref="FrameWriter"/>.</summary>
    /// <param name="kind">What it holds.</param>
    /// <param name="parameter">The index of the parameter for raw bytes; 0 for JSON.</param>
    public void BeginPart(PartKind kind, int parameter = 0)
    {
        var fields = new FieldWriter(_frame);
        fields.U8((byte)kind);
        fields.U8(0);
        fields.U16(checked((ushort)parameter));
        _partPlace = _frame.Reserve(4);
        _partStart = _frame.PayloadLength;
        _count = checked((ushort)(_count + 1));
    }

    /// <summary>Ends the part.</summary>
    public readonly void EndPart()
    {
        // A part that is too long for its length field is longer than any frame: End refuses it.
        var length = _frame.PayloadLength - _partStart;
        BinaryPrimitives.WriteUInt32LittleEndian(_partPlace.Span, (uint)Math.Min(length, uint.MaxValue));
    }

    /// <summary>Adds a raw part without copying it, if it is large; see <see cref="FrameWriter.Borrow"/>.</summary>
    /// <param name="parameter">The index of the parameter.</param>
    /// <param name="bytes">The argument's bytes.</param>
    public void AddRaw(int parameter, ReadOnlyMemory<byte> bytes)
    {
        BeginPart(PartKind.Raw, parameter);
        _frame.Borrow(bytes);
        EndPart();
    }

    private static void WritePart(ref Span<byte> target, PartKind kind, int parameter, ReadOnlySpan<byte> bytes)
    {
        target[0] = (byte)kind;
        target[1] = 0;
        BinaryPrimitives.WriteUInt16LittleEndian(target[2..], (ushort)parameter);
        BinaryPrimitives.WriteUInt32LittleEndian(target[4..], (uint)bytes.Length);
        bytes.CopyTo(target[CallPayload.PartHeaderSize..]);
        target = target[(CallPayload.PartHeaderSize + bytes.Length)..];
    }

    /// <summary>Ends the frame.</summary>
    /// <returns>The bytes of the payload.</returns>
    /// <exception cref="PayloadTooLongException">The arguments do not fit into one frame; nothing of it was sent.</exception>
    public readonly int End()
    {
        BinaryPrimitives.WriteUInt16LittleEndian(_countPlace.Span, _count);
        return _frame.End();
    }
}
