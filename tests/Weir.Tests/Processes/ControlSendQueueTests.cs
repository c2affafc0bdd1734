using Weir.Execution.Pools.Transport;
using Weir.Protocol.Frames;

namespace Weir.Tests.Processes;

public sealed class ControlSendQueueTests : IDisposable
{
    private readonly ManualChannel _channel = new();
    private readonly ControlSendQueue _outbox;

    public ControlSendQueueTests() => _outbox = new ControlSendQueue(_channel);

    public void Dispose() => _channel.Dispose();

    [Fact]
    public void Frames_that_do_not_fit_are_sent_in_order_when_there_is_space()
    {
        _channel.Space = 5;
        _outbox.Send(1UL, static (frames, id) => frames.Append(FrameType.Started, id));
        _outbox.Send(2UL, static (frames, id) => frames.Append(FrameType.Started, id));
        Assert.Equal(5, _channel.Sent.Count);
        _channel.GiveSpace(20);
        Assert.Equal(25, _channel.Sent.Count);
        _channel.GiveSpace(100);
        Assert.Equal(2 * FrameHeader.Size, _channel.Sent.Count);
        Assert.Equal(1, _channel.Sent[8]);
        Assert.Equal(2, _channel.Sent[FrameHeader.Size + 8]);
    }

    [Fact]
    public void A_frame_equal_to_a_waiting_frame_is_not_added()
    {
        _channel.Space = 0;
        for (var i = 0; i < 1000; i++)
        {
            _outbox.SendOnce(FrameType.Space);
        }

        _channel.GiveSpace(int.MaxValue);
        Assert.Equal(FrameHeader.Size, _channel.Sent.Count);
        _outbox.SendOnce(FrameType.Space);
        _outbox.SendOnce(FrameType.Space);
        Assert.Equal(3 * FrameHeader.Size, _channel.Sent.Count);
    }

    [Fact]
    public void Frames_for_a_channel_without_a_reader_are_discarded()
    {
        _channel.Space = -1;
        _outbox.Send(1UL, static (frames, id) => frames.Append(FrameType.Started, id));
        _outbox.Send(2UL, static (frames, id) => frames.Append(FrameType.Started, id));
        Assert.Empty(_channel.Sent);
    }
}
