using Weir.Protocol.Frames;

namespace Weir.Worker.Channels;

/// <summary>The frames of one channel, one after the other. One thread.</summary>
/// <param name="channel">The channel.</param>
/// <param name="routes">What may arrive on it.</param>
/// <param name="first">The first buffer; default one of the array pool.</param>
internal sealed class FrameSource(IChannel channel, FrameRoute routes, byte[]? first = null) : IDisposable
{
    private readonly FrameReader _reader = new(routes, first: first);

    /// <summary>Waits for the next frame; <c>false</c> at the channel's end, also inside a frame: then the host died.</summary>
    /// <exception cref="FrameException">The received bytes are not a frame of this channel.</exception>
    public bool TryNext(out Frame frame)
    {
        while (!_reader.TryRead(out frame))
        {
            if (!Receive())
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Takes the next frame from the received bytes.</summary>
    /// <exception cref="FrameException">The received bytes are not a frame of this channel.</exception>
    public bool TryTake(out Frame frame) => _reader.TryRead(out frame);

    /// <summary>Waits for bytes; <c>false</c> at the channel's end. The last frame is not valid any more.</summary>
    public bool Receive()
    {
        var count = channel.Receive(_reader.GetSpan());
        _reader.Advance(count);
        return count > 0;
    }

    /// <summary>Whether more bytes have arrived than were received.</summary>
    public bool HasMore => channel.HasMore;

    /// <summary>Transfers the buffer of the last frame to its call, which returns it to the shared array pool.</summary>
    public byte[] Detach() => _reader.Detach();

    public void Dispose() => _reader.Dispose();
}
