using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Protocol;

public sealed class SharedMemoryTests
{
    [Fact]
    public void A_worker_recognizes_shared_memory_by_its_magic_and_its_version()
    {
        using var region = new AllocatedRegion();
        var worker = new WorkerSharedMemory<SharedMemoryAccess>(region.Address);
        Assert.True(worker.IsKnown);
        region.Field(SharedMemoryLayout.Version)++;
        Assert.False(worker.IsKnown);

        // The value that hosts with the previous layout wrote: its version, and above it a number of slots.
        region.Field(SharedMemoryLayout.Version) = (1UL << 32) | 2;
        Assert.False(worker.IsKnown);
        region.Host.Format();
        Assert.True(worker.IsKnown);
        region.Field(SharedMemoryLayout.Magic)++;
        Assert.False(worker.IsKnown);
    }

    [Fact]
    public void The_host_reads_when_the_last_call_was_started_and_the_total_time_of_all_calls()
    {
        using var region = new AllocatedRegion();
        var worker = new WorkerSharedMemory<SharedMemoryAccess>(region.Address);
        worker.NoteStart(7, 1000);
        Assert.Equal((1000ul, 0ul), (region.Host.StartOf(7), region.Host.StartOf(8)));
        worker.NoteStart(8, 2000);
        Assert.Equal((0ul, 2000ul), (region.Host.StartOf(7), region.Host.StartOf(8)));

        worker.End(500);
        worker.End(40);
        Assert.Equal(new SharedMemoryTotals(2, 540), region.Host.ReadTotals());
    }
}
