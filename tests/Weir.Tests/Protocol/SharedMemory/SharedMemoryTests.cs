using Weir.Protocol.Page;

namespace Weir.Tests.Protocol;

public sealed class PageTests
{
    [Fact]
    public void A_worker_knows_a_page_by_its_magic_and_its_version()
    {
        using var page = new PageMemory();
        var worker = new WorkerPage<PageAccess>(page.Address);
        Assert.True(worker.IsKnown);
        page.Field(PageLayout.Version)++;
        Assert.False(worker.IsKnown);

        // What hosts of the layout before wrote: its version, and above it a number of slots.
        page.Field(PageLayout.Version) = (1UL << 32) | 2;
        Assert.False(worker.IsKnown);
        page.Host.Format();
        Assert.True(worker.IsKnown);
        page.Field(PageLayout.Magic)++;
        Assert.False(worker.IsKnown);
    }

    [Fact]
    public void The_host_reads_when_the_last_call_was_started_and_what_all_took()
    {
        using var page = new PageMemory();
        var worker = new WorkerPage<PageAccess>(page.Address);
        worker.NoteStart(7, 1000);
        Assert.Equal((1000ul, 0ul), (page.Host.StartOf(7), page.Host.StartOf(8)));
        worker.NoteStart(8, 2000);
        Assert.Equal((0ul, 2000ul), (page.Host.StartOf(7), page.Host.StartOf(8)));

        worker.End(500);
        worker.End(40);
        Assert.Equal(new PageTotals(2, 540), page.Host.ReadTotals());
    }
}
