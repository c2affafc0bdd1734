namespace Weir.Protocol.Frames;

/// <summary>One whole frame inside a <see cref="FrameReader"/>'s buffer; valid until the reader is used again.</summary>
internal readonly ref struct Frame
{
    /// <summary>Puts header and payload together.</summary>
    /// <param name="header">The checked header.</param>
    /// <param name="payload">Exactly its payload.</param>
    public Frame(FrameHeader header, ReadOnlyMemory<byte> payload)
    {
        Header = header;
        Memory = payload;
    }

    /// <summary>The checked header.</summary>
    public FrameHeader Header { get; }

    /// <summary>The payload, not parsed yet.</summary>
    public ReadOnlySpan<byte> Payload => Memory.Span;

    /// <summary>The payload as memory; valid no longer than the frame.</summary>
    public ReadOnlyMemory<byte> Memory { get; }

    /// <summary>The frame's type.</summary>
    public FrameType Type => Header.Type;

    /// <summary>The frame's flags.</summary>
    public FrameFlags Flags => Header.Flags;

    /// <summary>The call the frame is about; 0 for none.</summary>
    public ulong CallId => Header.CallId;
}
