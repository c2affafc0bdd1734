namespace Weir.Worker.Channels;

/// <summary>The worker's end of one byte stream to its host. One thread reads; the thread that holds the lock of the output writes.</summary>
internal interface IChannel
{
    /// <summary>Waits for bytes.</summary>
    /// <returns>0 at the end, however the channel ended.</returns>
    int Receive(Span<byte> buffer);

    /// <summary>Whether bytes have arrived, if that is known without a system call. For the reading thread.</summary>
    bool HasMore => false;

    /// <summary>Sends all of the bytes; waits while there is no space.</summary>
    /// <exception cref="ChannelEndedException">The host does not read any more.</exception>
    void Send(ReadOnlySpan<byte> bytes);

    /// <summary>Sends as many bytes as there is space for.</summary>
    /// <returns>The number of bytes taken; 0 when there is no space, or no way to send without waiting.</returns>
    /// <exception cref="ChannelEndedException">The host does not read any more.</exception>
    int TrySend(ReadOnlySpan<byte> bytes) => 0;

    /// <summary>Ends this side: the host reads what was sent, then the end.</summary>
    void EndSending();
}

/// <summary>The host is gone. Nothing is left to do for a worker.</summary>
internal sealed class ChannelEndedException() : Exception("The host has ended the channel.");
