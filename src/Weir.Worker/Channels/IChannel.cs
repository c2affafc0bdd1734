namespace Weir.Worker.Channels;

/// <summary>The worker's end of one byte stream to its host. One thread reads; whoever holds its output's lock writes.</summary>
internal interface IChannel
{
    /// <summary>Waits for bytes.</summary>
    /// <returns>0 at the end, however the channel ended.</returns>
    int Receive(Span<byte> buffer);

    /// <summary>Whether there is something to receive already, where that is known without asking the kernel. The reading thread.</summary>
    bool HasMore => false;

    /// <summary>Sends all of the bytes, waiting for room.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    void Send(ReadOnlySpan<byte> bytes);

    /// <summary>Sends what there is room for.</summary>
    /// <returns>The number of bytes taken; 0 when there is no room, or no way to send without waiting.</returns>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    int TrySend(ReadOnlySpan<byte> bytes) => 0;

    /// <summary>Ends this side: the host reads what was sent, then the end.</summary>
    void EndSending();
}

/// <summary>The host is gone. Nothing is left to do for a worker.</summary>
internal sealed class ChannelEndedException() : Exception("The host has ended the channel.");
