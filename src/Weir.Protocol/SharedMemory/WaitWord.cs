using System.Runtime.CompilerServices;

namespace Weir.Protocol.SharedMemory;

/// <summary>
/// A word of the shared memory by which one side waits for the other. A side that is about to wait raises the word, then checks once more
/// whether what it waits for is there. A side that has provided it reads the word afterwards, and if it can lower the word, wakes the
/// other side: once for each time it was raised.
/// </summary>
/// <typeparam name="TAccess">How the memory is accessed.</typeparam>
internal readonly unsafe struct WaitWord<TAccess>
    where TAccess : struct, ISharedMemoryAccess
{
    private readonly byte* _word;
    private readonly TAccess _access;

    /// <summary>A word of the shared memory at an address.</summary>
    /// <param name="address">As for <see cref="WorkerSharedMemory{TAccess}"/>.</param>
    /// <param name="place">Its offset.</param>
    /// <param name="access">How it is accessed.</param>
    public WaitWord(nint address, int place, TAccess access = default)
    {
        _word = (byte*)address + place;
        _access = access;
    }

    /// <summary>For the waiting side: from now on the other side wakes it.</summary>
    public void Raise()
    {
        _access.Store(ref Word, 1);
        _access.Fence();
    }

    /// <summary>For either side, after a fence: whether this call lowered the word.</summary>
    public bool TryLower() => _access.Load(ref Word) == 1 && _access.TrySwap(ref Word, 1, 0);

    private ref ulong Word => ref Unsafe.AsRef<ulong>(_word);
}
