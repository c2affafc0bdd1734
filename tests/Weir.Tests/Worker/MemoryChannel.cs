using Weir.Worker.Channels;

namespace Weir.Tests.Worker;

/// <summary>The worker's end of a channel in memory.</summary>
internal sealed class MemoryChannel : IChannel
{
    internal MemoryPipe Down { get; } = new();

    internal MemoryPipe Up { get; } = new();

    public int Receive(Span<byte> buffer) => Down.Read(buffer);

    public void Send(ReadOnlySpan<byte> bytes)
    {
        if (!Up.Write(bytes))
        {
            throw new ChannelEndedException();
        }
    }

    public int TrySend(ReadOnlySpan<byte> bytes)
    {
        var written = Up.TryWrite(bytes);
        return written >= 0 ? written : throw new ChannelEndedException();
    }

    public void EndSending() => Up.End();
}
