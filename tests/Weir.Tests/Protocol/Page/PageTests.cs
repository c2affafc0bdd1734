using Weir.Protocol;

namespace Weir.Tests.Protocol;

public sealed class PageTests
{
    [Fact]
    public void A_worker_knows_a_page_by_its_magic_and_its_version()
    {
        using var page = new PageMemory();
        page.Host.Format(4);
        var worker = new WorkerPage<PageAccess>(page.Address);
        Assert.Equal(4, worker.Slots);
        page.Host.Format(1000);
        Assert.Equal(PageLayout.MostSlots, worker.Slots);
        page.Field(PageLayout.Version)++;
        Assert.Equal(0, worker.Slots);
        page.Host.Format(1);
        page.Field(PageLayout.Magic)++;
        Assert.Equal(0, worker.Slots);
    }

    [Fact]
    public void Slots_and_totals_say_what_the_worker_says()
    {
        using var page = new PageMemory();
        var worker = new WorkerPage<PageAccess>(page.Address);
        worker.Begin(0, 7, 1000);
        worker.Enter(0, SlotPhase.Run);
        worker.Count(0, 3);
        worker.Begin(60, 8, 2000);
        Assert.Equal(new PageSlot(7, 3, SlotPhase.Run, 1000), page.Host.ReadSlot(0));
        Assert.Equal(new PageSlot(8, 0, SlotPhase.Bind, 2000), page.Host.ReadSlot(60));

        worker.End(0, 500);
        worker.End(-1, 40);
        Assert.Equal(SlotPhase.Free, page.Host.ReadSlot(0).Phase);
        Assert.Equal(new PageTotals(2, 540), page.Host.ReadTotals());
        Assert.Throws<ArgumentOutOfRangeException>(() => worker.Begin(PageLayout.MostSlots, 9, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => page.Host.ReadSlot(-1));
    }

    [Fact]
    public void The_host_says_whether_the_worker_may_spin()
    {
        using var page = new PageMemory();
        var worker = new WorkerPage<PageAccess>(page.Address);
        Assert.False(worker.MaySpin);
        page.Host.AllowSpin(true);
        Assert.True(worker.MaySpin);
        page.Host.AllowSpin(false);
        Assert.False(worker.MaySpin);
    }

    [Fact]
    public void Bytes_that_are_being_sent_stay_where_they_are_while_others_are_added()
    {
        using var page = new PageMemory();
        var buffer = new OutboundBuffer<PageAccess>(page.Address);
        Assert.True(buffer.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 3), "one"u8));
        var sending = buffer.Unsent;
        Assert.True(buffer.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 2, 3), "two"u8));
        Assert.Equal("one"u8, sending[FrameHeader.Size..]);
        buffer.Sent(sending.Length);
        Assert.Equal("two"u8, buffer.Unsent[FrameHeader.Size..]);
        Assert.Equal(PageLayout.BufferSize - 38, buffer.Room);
        buffer.Sent(buffer.Unsent.Length);
        Assert.Equal(PageLayout.BufferSize, buffer.Room);
    }

    [Fact]
    public void Frames_of_a_writer_are_added_together_or_not_at_all()
    {
        using var page = new PageMemory();
        var buffer = new OutboundBuffer<PageAccess>(page.Address);
        using var frames = new FrameWriter();
        frames.Append(FrameType.Started, 1);
        frames.Begin(FrameType.Result, 1);
        frames.Borrow(new byte[60_000]);
        frames.End();
        Assert.True(buffer.TryAdd(frames));
        Assert.Equal(0, frames.Pending);
        Assert.Equal(60_032, buffer.Unsent.Length);
        frames.Begin(FrameType.Result, 2);
        frames.Write(new byte[6_000]);
        frames.End();
        Assert.False(buffer.TryAdd(frames));
        Assert.Equal(6_016, frames.Pending);
        Assert.Throws<InvalidOperationException>(() => buffer.SentAround(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => buffer.Sent(60_033));
    }
}
