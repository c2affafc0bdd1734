namespace Weir.AspNetCore.Streaming;

/// <summary>Where a stream's bytes go. Used by one send at a time; <see cref="Abort"/> from any thread.</summary>
internal interface IStreamOutput
{
    /// <summary>Sets status and headers; called once, before the first byte.</summary>
    void Commit();

    /// <summary>The number of bytes that are sent at once, without waiting for more.</summary>
    int PieceSize { get; }

    /// <summary>Sends bytes; completes when more are accepted, with <c>false</c> when the client has disconnected and more would be useless.</summary>
    /// <param name="bytes">Copied before this returns.</param>
    /// <param name="isLast">Whether nothing follows: then the call need not wait until more is accepted.</param>
    ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> bytes, bool isLast);

    /// <summary>Aborts the response, so that no client takes it for complete.</summary>
    void Abort();
}
