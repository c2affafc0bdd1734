using Weir.Execution.Processes.Linux.Interop;
using Weir.Protocol.Page;

namespace Weir.Tests.Protocol;

/// <summary>Memory as a page has it: zeroed, aligned, shared by both sides. Whoever touches what lies before or behind it ends the program.</summary>
internal sealed unsafe class PageMemory : IDisposable
{
    private const int Guard = 64 << 10;
    private const int Private = 2;
    private const int Fixed = 0x10;
    private const int Anonymous = 0x20;

    private readonly nint _memory;

    public PageMemory()
    {
        // Not touched before it is used: a page is large.
        _memory = MemoryCalls.Map(0, PageLayout.Size + (2 * Guard), 0, Private | Anonymous, -1, 0);
        Assert.NotEqual(-1, _memory);
        MapFresh();
        Host = PageAccess.OpenHostPage(Address);
        Host.Format();
    }

    public nint Address => _memory + Guard;

    public Span<byte> Bytes => new((byte*)Address, PageLayout.Size);

    public HostPage<PageAccess> Host { get; }

    public ref ulong Field(int offset) => ref *(ulong*)((byte*)Address + offset);

    /// <summary>A worker's session has it. A process has its page as long as it lives; here a call's thread may go on a moment after the session has ended.</summary>
    public bool IsWorkers { get; set; }

    public void Dispose()
    {
        if (IsWorkers)
        {
            // The memory is given back, the addresses are not.
            MapFresh();
        }
        else
        {
            Assert.Equal(0, MemoryCalls.Unmap(_memory, PageLayout.Size + (2 * Guard)));
        }
    }

    private void MapFresh() =>
        Assert.Equal(Address, MemoryCalls.Map(Address, PageLayout.Size, MemoryCalls.Readable | MemoryCalls.Writable, Private | Anonymous | Fixed, -1, 0));
}
