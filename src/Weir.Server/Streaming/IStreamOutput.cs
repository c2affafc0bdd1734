namespace Weir.Server.Streaming;

/// <summary>Where a stream's bytes go. Used by whoever has the turn; <see cref="Abort"/> by anyone.</summary>
internal interface IStreamOutput
{
    /// <summary>Sets status and headers; called once, before the first byte.</summary>
    void Commit();

    /// <summary>Sends bytes; ends when there is room for more.</summary>
    /// <param name="bytes">Must stay unchanged until the task ends.</param>
    ValueTask WriteAsync(ReadOnlyMemory<byte> bytes);

    /// <summary>Breaks the response off, so that nobody takes it for complete.</summary>
    void Abort();
}
