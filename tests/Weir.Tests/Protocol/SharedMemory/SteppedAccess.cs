using Weir.Protocol.Page;

namespace Weir.Tests.Protocol;

/// <summary>Touches a page only when a test lets it: before every step it asks, and whoever is asked may end the side for good.</summary>
internal readonly struct SteppedAccess(Action beforeStep) : IPageAccess
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

    // No step of its own: the orders that are tried have no other than the one they are tried in.
    public void Fence()
    {
    }

    // In two steps: a process may die in the middle of its bytes.
    public void Fill(Span<byte> target, ReadOnlySpan<byte> bytes)
    {
        beforeStep();
        var half = bytes.Length / 2;
        bytes[..half].CopyTo(target);
        beforeStep();
        bytes[half..].CopyTo(target[half..]);
    }
}

/// <summary>The end of a side in the middle of what it did.</summary>
internal sealed class DeathException : Exception;
