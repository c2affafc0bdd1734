using System.Runtime.InteropServices;
using Weir.Protocol;

namespace Weir.ScriptedWorker;

/// <summary>Descriptor 5, used as the protocol says, or otherwise.</summary>
internal sealed partial class Page
{
    private const int ReadAndWrite = 3;
    private const int Shared = 1;

    private readonly nint _address = Map(0, PageLayout.Size, ReadAndWrite, Shared, 5, 0);
    private readonly WorkerPage<PageAccess> _calls;
    private readonly OutboundBuffer<PageAccess> _buffer;

    public Page()
    {
        _calls = new WorkerPage<PageAccess>(_address);
        _buffer = new OutboundBuffer<PageAccess>(_address);
        if (_calls.Slots == 0)
        {
            throw new InvalidOperationException("There is no page.");
        }
    }

    public ReadOnlySpan<byte> Unsent => _buffer.Unsent;

    public bool TryStart(ulong id)
    {
        if (!_calls.TryStart(id))
        {
            return false;
        }

        _calls.Begin(0, id, 0);
        return true;
    }

    /// <summary>Finishes a call and sends nothing.</summary>
    public void Add(ulong id, ReadOnlySpan<byte> result)
    {
        _buffer.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, id, result.Length), result);
        _calls.End(0, 1000);
    }

    public void Sent(int count) => _buffer.Sent(count);

    /// <summary>Writes over a field, behind the back of whoever uses it.</summary>
    public unsafe void Scribble(int offset, ulong value) => Volatile.Write(ref *(ulong*)(_address + offset), value);

    /// <summary>The same for the bytes of the buffer.</summary>
    public unsafe void Scribble(byte value) => new Span<byte>((byte*)_address + PageLayout.Buffer, PageLayout.BufferSize).Fill(value);

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int descriptor, nint offset);
}
