namespace Weir.Protocol.Payloads;

/// <summary>What a part of a CALL holds.</summary>
internal enum PartKind : byte
{
    /// <summary>One JSON object with a member per argument that is not bytes. At most one such part per call.</summary>
    Json = 0,

    /// <summary>The bytes of one argument, unchanged.</summary>
    Raw = 1,

    /// <summary>Reserved: bytes that travel outside the channel, under <see cref="Capabilities.OutOfBand"/>.</summary>
    OutOfBand = 2,

    /// <summary>A <see cref="CallContext"/>, no argument, under <see cref="Capabilities.CallContext"/>. At most one such part per call.</summary>
    Context = 3,

    /// <summary>A <see cref="CallerPayload"/>, no argument, under <see cref="Capabilities.Caller"/>. At most one such part per call.</summary>
    Caller = 4,
}
