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
        worker.Begin(PageLayout.MostSlots - 1, 8, 2000);
        Assert.Equal(new PageSlot(7, 3, SlotPhase.Run, 1000), page.Host.ReadSlot(0));
        Assert.Equal(new PageSlot(8, 0, SlotPhase.Bind, 2000), page.Host.ReadSlot(PageLayout.MostSlots - 1));

        worker.End(0, 500);
        worker.End(-1, 40);
        Assert.Equal(SlotPhase.Free, page.Host.ReadSlot(0).Phase);
        Assert.Equal(new PageTotals(2, 540), page.Host.ReadTotals());
        Assert.Throws<ArgumentOutOfRangeException>(() => worker.Begin(PageLayout.MostSlots, 9, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => page.Host.ReadSlot(-1));
    }
}
