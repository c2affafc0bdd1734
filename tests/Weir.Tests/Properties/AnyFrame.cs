using FsCheck;
using Weir.Protocol.Frames;

namespace Weir.Tests.Properties;

/// <summary>The parts of an arbitrary frame; <see cref="ToFrame"/> gives the nearest valid frame.</summary>
/// <param name="Type">The index of the type, modulo the number of types.</param>
/// <param name="Flags">The flags; those that the type does not have are left out.</param>
/// <param name="CallId">The call id, if the type has one.</param>
/// <param name="Payload">Some bytes of the payload.</param>
/// <param name="Times">How often the bytes are repeated, if that is allowed: long payloads are borrowed, and longer than a piece of a writer.</param>
internal sealed record AnyFrame(byte Type, FrameFlags Flags, DoNotSize<ulong> CallId, byte[] Payload, byte Times)
{
    private static readonly FrameType[] Types = Enum.GetValues<FrameType>();

    /// <summary>The frame, and whether its payload is lent to the writer.</summary>
    public (FrameHeader Header, byte[] Payload, bool IsLent) ToFrame()
    {
        // 1. Type, flags, call.
        var type = Types[Type % Types.Length];
        ref readonly var rules = ref FrameRules.Of(type);
        var flags = Flags & rules.Flags;
        var callId = rules.CallId switch
        {
            CallIdRule.Zero => 0UL,
            CallIdRule.Required => Math.Max(1, CallId.Item),
            _ => CallId.Item,
        };

        // 2. The payload, with no more bytes than are allowed.
        var bytes = Enumerable.Repeat(Payload, Times % 4 == 0 ? Times * 4 : 1).SelectMany(static some => some).ToList();
        var most = flags.HasFlag(FrameFlags.NoValue) ? 0 : rules.MostUnder(FrameReader.DefaultMostPayload);
        if (bytes.Count < rules.LeastPayload)
        {
            bytes.AddRange(new byte[rules.LeastPayload - bytes.Count]);
        }

        var payload = bytes.Take(most).ToArray();
        return (new FrameHeader(type, flags, callId, payload.Length), payload, Times % 8 == 0);
    }

    /// <summary>Writes the frame.</summary>
    public void Write(FrameWriter writer)
    {
        var (header, payload, isLent) = ToFrame();
        writer.Begin(header.Type, header.CallId, header.Flags);
        if (isLent)
        {
            writer.Borrow(payload);
        }
        else
        {
            writer.Write(payload);
        }

        writer.End();
    }

    /// <summary>The text that is shown if a law does not hold.</summary>
    public override string ToString()
    {
        var (header, payload, isLent) = ToFrame();
        return $"{header}{(isLent ? ", lent" : "")}: {Convert.ToHexString(payload.AsSpan(0, Math.Min(payload.Length, 100)))}";
    }
}
