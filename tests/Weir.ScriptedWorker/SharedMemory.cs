using System.Runtime.InteropServices;
using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;

namespace Weir.ScriptedWorker;

/// <summary>The shared memory of descriptor 5, used as the protocol requires, or in violation of it.</summary>
internal sealed partial class SharedMemory
{
    private const int ReadAndWrite = 3;
    private const int Shared = 1;

    private readonly nint _address = Map(0, SharedMemoryLayout.Size, ReadAndWrite, Shared, 5, 0);
    private readonly Lock _adding = new();
    private readonly WorkerSharedMemory<SharedMemoryAccess> _calls;
    private readonly RingWriter<SharedMemoryAccess> _up;
    private readonly RingReader<SharedMemoryAccess> _down;

    public SharedMemory()
    {
        _calls = new WorkerSharedMemory<SharedMemoryAccess>(_address);
        (_up, _down) = SharedMemoryAccess.OpenWorkerRings(_address);
        if (!_calls.IsKnown)
        {
            throw new InvalidOperationException("There is no region.");
        }
    }

    /// <summary>Takes what the host has sent.</summary>
    /// <param name="buffer">The destination.</param>
    /// <param name="isHostWoken">Whether the host waits for space and must be woken.</param>
    public int Take(Span<byte> buffer, out bool isHostWoken) => _down.Take(buffer, out isHostWoken);

    /// <summary>Whether the worker may sleep until the host wakes it.</summary>
    public bool TrySleep() => _down.TrySleep();

    /// <summary>Adds bytes and sends nothing; there is space for what a test sends.</summary>
    public void Add(ReadOnlySpan<byte> bytes)
    {
        lock (_adding)
        {
            if (_up.Add(bytes) != bytes.Length)
            {
                throw new InvalidOperationException("There is no space.");
            }
        }
    }

    /// <summary>Sends what was added.</summary>
    /// <returns>Whether the host must be woken.</returns>
    public bool Send()
    {
        _up.Send();
        return _up.TryWake();
    }

    /// <summary>Sends the first bytes of what was added and not sent.</summary>
    /// <returns>Whether the host must be woken.</returns>
    public unsafe bool Send(int count)
    {
        Scribble(SharedMemoryLayout.UpSent, *(ulong*)(_address + SharedMemoryLayout.UpSent) + (ulong)count);
        return _up.TryWake();
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

    /// <summary>Prevents the host from withdrawing calls after the running one: an earlier withdrawal is open, of calls that are never sent.</summary>
    public void Pin(ulong id) => Scribble(SharedMemoryLayout.Claim, ((ulong)uint.MaxValue << 32) | (uint)id);

    /// <summary>Waits until the host has withdrawn the calls behind the running one.</summary>
    public unsafe void AwaitWithdrawal()
    {
        while (new ClaimWord(Volatile.Read(ref *(ulong*)(_address + SharedMemoryLayout.Claim))).WithdrawnFirst == 0)
        {
            Thread.Sleep(1);
        }
    }

    /// <summary>Overwrites a field, without the knowledge of the code that uses it.</summary>
    public unsafe void Scribble(int offset, ulong value) => Volatile.Write(ref *(ulong*)(_address + offset), value);

    /// <summary>Overwrites the bytes of the ring.</summary>
    public unsafe void Scribble(byte value) => new Span<byte>((byte*)_address + SharedMemoryLayout.UpBuffer, SharedMemoryLayout.RingSize).Fill(value);

    /// <summary>Tries to change the length of the shared memory while the host has it mapped.</summary>
    /// <returns>The error number; 0 when it has that length now.</returns>
    public static int Resize(long by) => SetLength(5, SharedMemoryLayout.Size + (nint)by) == 0 ? 0 : Marshal.GetLastPInvokeError();

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    private static partial int SetLength(int descriptor, nint length);

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int descriptor, nint offset);
}
