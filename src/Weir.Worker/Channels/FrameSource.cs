using Weir.Protocol;

namespace Weir.Worker.Channels;

/// <summary>The frames of one channel, one after the other. One thread.</summary>
internal sealed class FrameSource(IChannel channel, FrameRoute routes) : IDisposable
{
    private readonly FrameReader _reader = new(routes);

    /// <summary>Waits for the next frame; <c>false</c> at the channel's end. Inside a frame it is an end all the same: the host died.</summary>
    /// <exception cref="FrameException">What came is no frame of this channel.</exception>
    public bool TryNext(out Frame frame)
    {
        while (!_reader.TryRead(out frame))
        {
            var count = channel.Receive(_reader.GetSpan());
            if (count == 0)
            {
                return false;
            }

            _reader.Advance(count);
        }

        return true;
    }

    public void Dispose() => _reader.Dispose();
}
