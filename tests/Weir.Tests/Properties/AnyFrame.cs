using FsCheck;
using Weir.Protocol.Frames;

namespace Weir.Tests.Properties;

/// <summary>What any frame is made of; <see cref="ToFrame"/> gives the valid one that is nearest.</summary>
/// <param name="Type">Which type, counted round.</param>
/// <param name="Flags">Those that the type does not know are left out.</param>
/// <param name="CallId">Where the type names one.</param>
/// <param name="Payload">Some bytes of it.</param>
/// <param name="Times">How often, where that is allowed: long payloads are borrowed, and longer than a piece of a writer.</param>
internal sealed record AnyFrame(byte Type, FrameFlags Flags, DoNotSize<ulong> CallId, byte[] Payload, byte Times)
{
    private static readonly FrameType[] Types = Enum.GetValues<FrameType>();

    /// <summary>The frame, and whether its payload is lent to who writes it.</summary>
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

        // 2. As many bytes as are allowed.
        var bytes = Enumerable.Repeat(Payload, Times % 4 == 0 ? Times * 4 : 1).SelectMany(static some => some).ToList();
        var most = flags.HasFlag(FrameFlags.NoValue) ? 0 : rules.MostUnder(FrameReader.DefaultMostPayload);
        if (bytes.Count < rules.LeastPayload)
        {
            bytes.AddRange(new byte[rules.LeastPayload - bytes.Count]);
        }

        var payload = bytes.Take(most).ToArray();
        return (new FrameHeader(type, flags, callId, payload.Length), payload, Times % 8 == 0);
    }

    /// <summary>Writes it.</summary>
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

    /// <summary>What is read of it where a law does not hold.</summary>
    public override string ToString()
    {
        var (header, payload, isLent) = ToFrame();
        return $"{header}{(isLent ? ", lent" : "")}: {Convert.ToHexString(payload.AsSpan(0, Math.Min(payload.Length, 100)))}";
    }
}
