using System.Runtime.InteropServices;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;

namespace Weir.ScriptedWorker;

/// <summary>Descriptor 5, used as the protocol says, or otherwise.</summary>
internal sealed partial class Page
{
    private const int ReadAndWrite = 3;
    private const int Shared = 1;

    private readonly nint _address = Map(0, PageLayout.Size, ReadAndWrite, Shared, 5, 0);
    private readonly Lock _adding = new();
    private readonly WorkerPage<PageAccess> _calls;
    private readonly RingWriter<PageAccess> _up;
    private readonly RingReader<PageAccess> _down;
    private readonly WaitWord<PageAccess> _sleeps;
    private readonly WaitWord<PageAccess> _hostSleeps;
    private readonly WaitWord<PageAccess> _hostWantsRoom;

    public Page()
    {
        _calls = new WorkerPage<PageAccess>(_address);
        (_up, _down) = PageAccess.OpenWorkerRings(_address);
        _sleeps = PageAccess.OpenWaitWord(_address, PageLayout.WorkerSleeps);
        _hostSleeps = PageAccess.OpenWaitWord(_address, PageLayout.HostSleeps);
        _hostWantsRoom = PageAccess.OpenWaitWord(_address, PageLayout.HostWantsRoom);
        if (!_calls.IsKnown)
        {
            throw new InvalidOperationException("There is no page.");
        }
    }

    /// <summary>Takes what the host has sent.</summary>
    /// <param name="buffer">Where to.</param>
    /// <param name="isHostWoken">Whether the host waits for room, and is to be woken.</param>
    public int Take(Span<byte> buffer, out bool isHostWoken)
    {
        var taken = _down.Take(buffer);
        Interlocked.MemoryBarrier();
        isHostWoken = taken > 0 && _hostWantsRoom.TryLower();
        return taken;
    }

    /// <summary>Whether it may sleep until the host wakes it.</summary>
    public bool TrySleep()
    {
        _sleeps.Raise();
        return _down.IsEmpty;
    }

    /// <summary>Adds bytes and sends nothing; there is room for what a test sends.</summary>
    public void Add(ReadOnlySpan<byte> bytes)
    {
        lock (_adding)
        {
            if (_up.Add(bytes) != bytes.Length)
            {
                throw new InvalidOperationException("There is no room.");
            }
        }
    }

    /// <summary>Sends what was added.</summary>
    /// <returns>Whether the host is to be woken.</returns>
    public bool Send()
    {
        _up.Send();
        return _hostSleeps.TryLower();
    }

    /// <summary>Sends the first bytes of what was added and not sent.</summary>
    /// <returns>Whether the host is to be woken.</returns>
    public unsafe bool Send(int count)
    {
        Scribble(PageLayout.UpSent, *(ulong*)(_address + PageLayout.UpSent) + (ulong)count);
        Interlocked.MemoryBarrier();
        return _hostSleeps.TryLower();
    }

    public bool TryStart(ulong id)
    {
        if (!_calls.TryStart(id))
        {
            return false;
        }

        _calls.NoteStart(id, 0);
        return true;
    }

    /// <summary>Finishes a call and sends nothing.</summary>
    public void Add(ulong id, ReadOnlySpan<byte> result)
    {
        lock (_adding)
        {
            _up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, id, result.Length), result);
        }

        _calls.End(1000);
    }

    /// <summary>From the running call on the host can withdraw none: to it an earlier withdrawal is open, of calls that are never sent.</summary>
    public void Pin(ulong id) => Scribble(PageLayout.Settle, ((ulong)uint.MaxValue << 32) | (uint)id);

    /// <summary>Waits until the host has withdrawn what lies behind the running call.</summary>
    public unsafe void AwaitWithdrawal()
    {
        while (new SettleWord(Volatile.Read(ref *(ulong*)(_address + PageLayout.Settle))).RecallFirst == 0)
        {
            Thread.Sleep(1);
        }
    }

    /// <summary>Writes over a field, behind the back of whoever uses it.</summary>
    public unsafe void Scribble(int offset, ulong value) => Volatile.Write(ref *(ulong*)(_address + offset), value);

    /// <summary>The same for the bytes of the ring.</summary>
    public unsafe void Scribble(byte value) => new Span<byte>((byte*)_address + PageLayout.UpBuffer, PageLayout.RingSize).Fill(value);

    /// <summary>Tries to give the page another length, under the feet of the host that has it mapped.</summary>
    /// <returns>The error number; 0 when it has that length now.</returns>
    public static int Resize(long by) => SetLength(5, PageLayout.Size + (nint)by) == 0 ? 0 : Marshal.GetLastPInvokeError();

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    private static partial int SetLength(int descriptor, nint length);

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int descriptor, nint offset);
}
