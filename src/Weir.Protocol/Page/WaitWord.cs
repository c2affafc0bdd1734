using System.Runtime.CompilerServices;

namespace Weir.Protocol.Page;

/// <summary>
/// A word of a page by which one side waits for the other. Who is about to wait raises it, then looks once more whether what it
/// waits for is there. Who has made that true looks at the word afterwards, and if it can lower it, wakes the other: once for each
/// time it was raised.
/// </summary>
/// <typeparam name="TAccess">How the page is touched.</typeparam>
public readonly unsafe struct WaitWord<TAccess>
    where TAccess : struct, IPageAccess
{
    private readonly byte* _word;
    private readonly TAccess _access;

    /// <summary>A word of the page at an address.</summary>
    /// <param name="address">As for <see cref="WorkerPage{TAccess}"/>.</param>
    /// <param name="place">Its place.</param>
    /// <param name="access">How it is touched.</param>
    public WaitWord(nint address, int place, TAccess access = default)
    {
        _word = (byte*)address + place;
        _access = access;
    }

    /// <summary>The waiting side: from here on it is woken.</summary>
    public void Raise()
    {
        _access.Store(ref Word, 1);
        _access.Fence();
    }

    /// <summary>Either side, after a fence: whether this is who lowered it.</summary>
    public bool TryLower() => _access.Load(ref Word) == 1 && _access.TrySwap(ref Word, 1, 0);

    private ref ulong Word => ref Unsafe.AsRef<ulong>(_word);
}
