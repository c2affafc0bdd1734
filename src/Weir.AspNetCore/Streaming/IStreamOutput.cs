namespace Weir.AspNetCore.Streaming;

/// <summary>Where a stream's bytes go. Used by whoever has the turn; <see cref="Abort"/> by anyone.</summary>
internal interface IStreamOutput
{
    /// <summary>Sets status and headers; called once, before the first byte.</summary>
    void Commit();

    /// <summary>How many bytes are sent at once where more need not wait for them.</summary>
    int PieceSize { get; }

    /// <summary>Sends bytes; ends when there is room for more, with <c>false</c> when the client has disconnected and more would be in vain.</summary>
    /// <param name="bytes">Copied before this returns.</param>
    /// <param name="isLast">Whether nothing follows: then it does not matter whether there is room.</param>
    ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> bytes, bool isLast);

    /// <summary>Breaks the response off, so that nobody takes it for complete.</summary>
    void Abort();
}
