using Weir.Execution.Pools.Transport;
using Weir.Protocol.Frames;

namespace Weir.Tests.Processes;

public sealed class OutboxTests : IDisposable
{
    private readonly ManualChannel _channel = new();
    private readonly ControlSendQueue _outbox;

    public OutboxTests() => _outbox = new ControlSendQueue(_channel);

    public void Dispose() => _channel.Dispose();

    [Fact]
    public void What_does_not_fit_follows_when_there_is_room_in_order()
    {
        _channel.Room = 5;
        _outbox.Send(1UL, static (frames, id) => frames.Append(FrameType.Started, id));
        _outbox.Send(2UL, static (frames, id) => frames.Append(FrameType.Started, id));
        Assert.Equal(5, _channel.Sent.Count);
        _channel.GiveRoom(20);
        Assert.Equal(25, _channel.Sent.Count);
        _channel.GiveRoom(100);
        Assert.Equal(2 * FrameHeader.Size, _channel.Sent.Count);
        Assert.Equal(1, _channel.Sent[8]);
        Assert.Equal(2, _channel.Sent[FrameHeader.Size + 8]);
    }

    [Fact]
    public void A_frame_that_says_the_same_as_one_that_waits_is_not_added_however_often_it_is_wanted()
    {
        _channel.Room = 0;
        for (var i = 0; i < 1000; i++)
        {
            _outbox.SendOnce(FrameType.Room);
        }

        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(FrameHeader.Size, _channel.Sent.Count);
        _outbox.SendOnce(FrameType.Room);
        _outbox.SendOnce(FrameType.Room);
        Assert.Equal(3 * FrameHeader.Size, _channel.Sent.Count);
    }

    [Fact]
    public void A_channel_that_nobody_reads_swallows_what_comes()
    {
        _channel.Room = -1;
        _outbox.Send(1UL, static (frames, id) => frames.Append(FrameType.Started, id));
        _outbox.Send(2UL, static (frames, id) => frames.Append(FrameType.Started, id));
        Assert.Empty(_channel.Sent);
    }
}
