using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Processes;

/// <summary>Shared memory: a process that has its descriptor cannot shrink it while the host has it mapped, since the next access would end the host.</summary>
public sealed class MemfdRegionTests
{
    [Theory]
    [InlineData(-1)]
    [InlineData(-SharedMemoryLayout.Size)]
    [InlineData(1)]
    [InlineData(1 << 30)]
    public void The_length_of_the_memory_cannot_change(int by)
    {
        var (region, descriptor) = Create();
        using (region)
        using (descriptor)
        {
            Assert.Equal((-1, Errno.NotPermitted), (MemoryCalls.SetLength(descriptor.Number, SharedMemoryLayout.Size + by), Errno.Last));
        }
    }

    [Fact]
    public void No_seal_can_be_added_later_that_would_prevent_writing_to_the_memory()
    {
        const int sealWrite = 8;
        var (region, descriptor) = Create();
        using (region)
        using (descriptor)
        {
            Assert.Equal((-1, Errno.NotPermitted), (DescriptorCalls.Control(descriptor.Number, MemoryCalls.AddSeals, sealWrite), Errno.Last));
        }
    }

    private static (IDisposable SharedMemory, Descriptor Descriptor) Create()
    {
        if (MemfdRegion.TryCreate() is { } made)
        {
            return made;
        }

        Assert.Skip("There is no such memory here.");
        throw new InvalidOperationException();
    }
}
