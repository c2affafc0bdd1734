using Weir.Protocol;

namespace Weir.Worker.Channels;

/// <summary>The sending side of the data channel. Calls encode on their own and come here with whole frames. Used concurrently.</summary>
internal sealed class DataOutput(IChannel channel)
{
    private readonly Lock _lock = new();

    /// <summary>The longest payload the host reads; set by HELLO before the first call.</summary>
    public int MostPayload { get; set; } = FrameReader.DefaultMostPayload;

    /// <summary>Sends frames to their last byte: no answer waits for another.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public void Send(FrameWriter frames)
    {
        lock (_lock)
        {
            while (frames.TryPeek(out var bytes))
            {
                channel.Send(bytes.Span);
                frames.Consume(bytes.Length);
            }
        }
    }

    /// <summary>Sends one frame whose bytes the caller made, without allocating: for a worker that is out of memory.</summary>
    public void Send(ReadOnlySpan<byte> frame)
    {
        lock (_lock)
        {
            channel.Send(frame);
        }
    }

    /// <summary>Ends this side; nothing may be sent afterwards.</summary>
    public void End() => channel.EndSending();
}
