using Weir.Execution.Processes.Linux.Interop;
using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Protocol;

/// <summary>Memory for tests of shared memory: zeroed, aligned, used by both sides. An access before or after it ends the program.</summary>
internal sealed unsafe class AllocatedRegion : IDisposable
{
    private const int Guard = 64 << 10;
    private const int Private = 2;
    private const int Fixed = 0x10;
    private const int Anonymous = 0x20;

    private readonly nint _memory;

    public AllocatedRegion()
    {
        // Not touched before it is used: shared memory is large.
        _memory = MemoryCalls.Map(0, SharedMemoryLayout.Size + (2 * Guard), 0, Private | Anonymous, -1, 0);
        Assert.NotEqual(-1, _memory);
        MapFresh();
        Host = SharedMemoryAccess.OpenHost(Address);
        Host.Format();
    }

    public nint Address => _memory + Guard;

    public Span<byte> Bytes => new((byte*)Address, SharedMemoryLayout.Size);

    public HostSharedMemory<SharedMemoryAccess> Host { get; }

    public ref ulong Field(int offset) => ref *(ulong*)((byte*)Address + offset);

    /// <summary>Whether it is a worker's. A process has its shared memory until it exits; here the thread of a call may outlive the session briefly.</summary>
    public bool IsWorkers { get; set; }

    public void Dispose()
    {
        if (IsWorkers)
        {
            // The memory is released, the address range is not.
            MapFresh();
        }
        else
        {
            Assert.Equal(0, MemoryCalls.Unmap(_memory, SharedMemoryLayout.Size + (2 * Guard)));
        }
    }

    private void MapFresh() =>
        Assert.Equal(Address, MemoryCalls.Map(Address, SharedMemoryLayout.Size, MemoryCalls.Readable | MemoryCalls.Writable, Private | Anonymous | Fixed, -1, 0));
}
