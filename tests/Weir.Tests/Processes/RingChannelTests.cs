using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Protocol.Page;
using Weir.Tests.Protocol;

namespace Weir.Tests.Processes;

/// <summary>The host's end of a data channel that may go through a page.</summary>
public sealed class RingChannelTests : IDisposable
{
    private readonly PageMemory _memory = new();
    private readonly ManualChannel _socket = new();
    private readonly RingChannel _channel;
    private readonly SharedPage _page;

    public RingChannelTests()
    {
        _channel = new RingChannel(_socket);
        _page = new BorrowedPage(_memory.Address);
    }

    public void Dispose()
    {
        _channel.Dispose();
        _page.Dispose();
        _memory.Dispose();
    }

    [Fact]
    public void A_worker_that_wants_no_page_is_spoken_to_over_the_socket()
    {
        var called = 0;
        _socket.Room = 3;
        Assert.Equal(3, _channel.TrySend("hello"u8));
        Assert.Equal(0, _channel.TrySend("lo"u8));
        _channel.WhenWritable(() => called++);
        _socket.GiveRoom(5);
        Assert.Equal(1, called);
        Assert.Equal("hel"u8.ToArray(), _socket.Sent);
    }

    [Fact]
    public void A_worker_is_woken_once_for_each_time_it_sleeps_and_not_while_it_is_awake()
    {
        Share();
        Assert.Equal(1, _channel.TrySend("a"u8));
        Assert.Empty(_socket.Sent);
        PageAccess.OpenWaitWord(_memory.Address, PageLayout.WorkerSleeps).Raise();
        Assert.Equal(1, _channel.TrySend("b"u8));
        Assert.Equal(1, _channel.TrySend("c"u8));
        Assert.Single(_socket.Sent);
    }

    [Fact]
    public void A_worker_that_could_not_be_woken_for_want_of_room_is_woken_later()
    {
        Share();
        _socket.Room = 0;
        PageAccess.OpenWaitWord(_memory.Address, PageLayout.WorkerSleeps).Raise();
        Assert.Equal(1, _channel.TrySend("a"u8));
        Assert.Empty(_socket.Sent);
        _socket.GiveRoom(1);
        Assert.Single(_socket.Sent);
    }

    [Fact]
    public void Of_a_worker_that_is_gone_no_more_than_a_ring_is_read_however_long_somebody_goes_on_writing()
    {
        Share();
        var (up, _) = PageAccess.OpenWorkerRings(_memory.Address);
        var buffer = new byte[100_000];
        long read = 0;
        _channel.End();
        while (true)
        {
            up.Add(new byte[60_000]);
            up.Send();
            var count = _channel.Receive(buffer);
            if (count == 0)
            {
                break;
            }

            read += count;
            Assert.InRange(read, 0, PageLayout.RingSize);
        }

        Assert.Equal(PageLayout.RingSize, read);
    }

    [Fact]
    public void Bytes_that_nobody_took_are_a_missed_wake_until_they_are_taken()
    {
        Share();
        var (up, _) = PageAccess.OpenWorkerRings(_memory.Address);
        up.Add("answer"u8);
        Assert.False(_channel.MissedWake);
        up.Send();
        Assert.True(_channel.MissedWake);
        Assert.Equal(6, _channel.Receive(new byte[10]));
        Assert.False(_channel.MissedWake);
    }

    [Fact]
    public void Room_that_is_waited_for_and_there_is_a_missed_wake()
    {
        Share();
        var (_, down) = PageAccess.OpenWorkerRings(_memory.Address);
        while (_channel.TrySend(new byte[100_000]) > 0)
        {
        }

        _channel.WhenWritable(static () => { });
        while (down.Take(new byte[100_000]) > 0)
        {
        }

        Assert.True(_channel.MissedWake);
    }

    [Fact]
    public void Bytes_that_the_worker_did_not_take_are_a_missed_wake_until_it_takes_them()
    {
        Share();
        var (_, down) = PageAccess.OpenWorkerRings(_memory.Address);
        Assert.Equal(1, _channel.TrySend("a"u8));
        Assert.True(_channel.MissedWake);
        Assert.Equal(1, down.Take(new byte[10]));
        Assert.False(_channel.MissedWake);
    }

    [Fact]
    public void A_worker_can_be_woken_whatever_its_word_says()
    {
        Share();
        _channel.WakeInAnyCase();
        _channel.WakeInAnyCase();
        Assert.Equal(2, _socket.Sent.Count);
    }

    [Fact]
    public void A_worker_without_a_page_is_not_woken()
    {
        _channel.WakeInAnyCase();
        Assert.Empty(_socket.Sent);
    }

    private void Share() => _channel.Share(_page, static () => { }, static _ => { });
}
