using System.Runtime.InteropServices;
using Weir.Protocol;

namespace Weir.Tests.Protocol;

/// <summary>Memory as a page has it: zeroed, aligned, shared by both sides.</summary>
internal sealed unsafe class PageMemory : IDisposable
{
    private readonly void* _start;

    public PageMemory()
    {
        _start = NativeMemory.AlignedAlloc(PageLayout.Size, 4096);
        Bytes.Clear();
        new HostPage<PageAccess>(Address).Format(1);
    }

    public nint Address => (nint)_start;

    public Span<byte> Bytes => new(_start, PageLayout.Size);

    public HostPage<PageAccess> Host => new(Address);

    public ref ulong Field(int offset) => ref *(ulong*)((byte*)_start + offset);

    public void Dispose() => NativeMemory.AlignedFree(_start);
}
