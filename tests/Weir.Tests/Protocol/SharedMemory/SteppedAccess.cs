using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Protocol;

/// <summary>Accesses shared memory step by step: before every step it calls the test, which may end this side by an exception.</summary>
internal readonly struct SteppedAccess(Action beforeStep) : ISharedMemoryAccess
{
    public ulong Load(ref ulong place)
    {
        beforeStep();
        return Volatile.Read(ref place);
    }

    public void Store(ref ulong place, ulong value)
    {
        beforeStep();
        Volatile.Write(ref place, value);
    }

    public bool TrySwap(ref ulong place, ulong expected, ulong value)
    {
        beforeStep();
        return Interlocked.CompareExchange(ref place, value, expected) == expected;
    }

    // Not a step of its own: the tested orders are sequentially consistent already.
    public void Fence()
    {
    }

    // In two steps: a process may exit in the middle of its bytes.
    public void Fill(Span<byte> target, ReadOnlySpan<byte> bytes)
    {
        beforeStep();
        var half = bytes.Length / 2;
        bytes[..half].CopyTo(target);
        beforeStep();
        bytes[half..].CopyTo(target[half..]);
    }
}

/// <summary>Ends a side in the middle of its steps.</summary>
internal sealed class DeathException : Exception;
