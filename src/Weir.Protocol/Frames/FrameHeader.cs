using System.Buffers.Binary;

namespace Weir.Protocol.Frames;

/// <summary>
/// The first 16 bytes of every frame, little-endian.
/// </summary>
/// <remarks>
/// <code>
///  0        4      5       6          8          16
///  | length | type | flags | reserved | call id  | payload …
///    u32      u8     u8      u16 = 0    u64
/// </code>
/// </remarks>
/// <param name="Type">The frame's type.</param>
/// <param name="Flags">Its flags.</param>
/// <param name="CallId">The call it is about; 0 for none.</param>
/// <param name="PayloadLength">The bytes that follow the header.</param>
internal readonly record struct FrameHeader(FrameType Type, FrameFlags Flags, ulong CallId, int PayloadLength)
{
    /// <summary>The bytes of a header.</summary>
    public const int Size = 16;

    /// <summary>Writes the header.</summary>
    /// <param name="target">At least <see cref="Size"/> bytes.</param>
    public void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(target, (uint)PayloadLength);
        target[4] = (byte)Type;
        target[5] = (byte)Flags;
        BinaryPrimitives.WriteUInt16LittleEndian(target[6..], 0);
        BinaryPrimitives.WriteUInt64LittleEndian(target[8..], CallId);
    }

    /// <summary>Reads a header and checks everything that can be known from it.</summary>
    /// <param name="source">At least <see cref="Size"/> bytes.</param>
    /// <param name="routes">The channel and direction on which the frame came.</param>
    /// <param name="mostPayload">The reader's limit in bytes.</param>
    /// <exception cref="FrameException">The header breaks a rule; the exception names the first one that it breaks.</exception>
    public static FrameHeader Read(ReadOnlySpan<byte> source, FrameRoute routes, int mostPayload)
    {
        var length = BinaryPrimitives.ReadUInt32LittleEndian(source);
        var type = (FrameType)source[4];
        var flags = (FrameFlags)source[5];
        var reserved = BinaryPrimitives.ReadUInt16LittleEndian(source[6..]);
        var callId = BinaryPrimitives.ReadUInt64LittleEndian(source[8..]);
        ref readonly var rules = ref FrameRules.Of(type);

        if (rules.Routes == FrameRoute.None)
        {
            throw new FrameException(FrameError.UnknownType, $"frame type {(byte)type} is not assigned");
        }

        if ((rules.Routes & routes) == FrameRoute.None)
        {
            throw new FrameException(FrameError.WrongRoute, $"{type} is not allowed on {routes}");
        }

        // Only a worker sends a response head.
        if ((flags & ~rules.Flags) != FrameFlags.None || ((flags & FrameFlags.Head) != 0 && (routes & FrameRoute.DataUp) == FrameRoute.None))
        {
            throw new FrameException(FrameError.UnknownFlag, $"{type} carries flags 0x{(byte)flags:x2}, allowed are 0x{(byte)rules.Flags:x2}");
        }

        if (reserved != 0)
        {
            throw new FrameException(FrameError.ReservedBits, $"the reserved bytes of {type} are 0x{reserved:x4}, not 0");
        }

        if (rules.CallId == CallIdRule.Required && callId == 0 || rules.CallId == CallIdRule.Zero && callId != 0)
        {
            throw new FrameException(FrameError.CallId, $"{type} carries call id {callId}");
        }

        if (length > (uint)rules.MostUnder(mostPayload))
        {
            throw new FrameException(FrameError.PayloadTooLong, $"{type} announces {length} bytes, the limit is {rules.MostUnder(mostPayload)}");
        }

        if (length < (uint)rules.LeastPayload)
        {
            throw new FrameException(FrameError.PayloadTooShort, $"{type} announces {length} bytes, it needs {rules.LeastPayload}");
        }

        if ((flags & (FrameFlags.NoValue | FrameFlags.Head)) == FrameFlags.NoValue && length != 0)
        {
            throw new FrameException(FrameError.PayloadTooLong, $"{type} without a value announces {length} bytes");
        }

        return new FrameHeader(type, flags, callId, (int)length);
    }
}
