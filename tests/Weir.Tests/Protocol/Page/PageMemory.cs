using System.Runtime.InteropServices;
using Weir.Protocol;

namespace Weir.Tests.Protocol;

/// <summary>Memory as a page has it: zeroed, aligned, shared by both sides.</summary>
internal sealed unsafe class PageMemory : IDisposable
{
    private const int Alignment = 4096;

    // Zeroed by whoever gives it, and not touched before it is used: a page is large.
    private readonly void* _memory = NativeMemory.AllocZeroed(PageLayout.Size + Alignment);
    private readonly void* _start;

    public PageMemory()
    {
        _start = (void*)(((nint)_memory + Alignment - 1) & -Alignment);
        Host = PageAccess.OpenHostPage(Address);
        Host.Format(1);
    }

    public nint Address => (nint)_start;

    public Span<byte> Bytes => new(_start, PageLayout.Size);

    public HostPage<PageAccess> Host { get; }

    public ref ulong Field(int offset) => ref *(ulong*)((byte*)_start + offset);

    public void Dispose() => NativeMemory.Free(_memory);
}
