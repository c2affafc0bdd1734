using System.Runtime.CompilerServices;
using Weir.Protocol.Frames;

namespace Weir.Protocol.SharedMemory;

/// <summary>
/// The reading end of a ring. The writer may be hostile: its words are loaded once and checked against what was taken, and bytes are
/// copied before they are parsed. Never waits, and wakes no thread itself: it says when the caller must.
/// </summary>
/// <remarks>One thread at a time.</remarks>
/// <typeparam name="TAccess">How the memory is accessed.</typeparam>
internal sealed unsafe class RingReader<TAccess>
    where TAccess : struct, ISharedMemoryAccess
{
    private readonly byte* _region;
    private readonly TAccess _access;
    private readonly RingPlaces _places;
    private readonly WaitWord<TAccess> _readerSleeps;
    private readonly WaitWord<TAccess> _writerWantsSpace;
    private ulong _taken;

    /// <summary>The reading end of a ring from which nothing was taken yet.</summary>
    /// <param name="address">As for <see cref="WorkerSharedMemory{TAccess}"/>.</param>
    /// <param name="places">Which ring.</param>
    /// <param name="access">How it is accessed.</param>
    public RingReader(nint address, RingPlaces places, TAccess access = default)
    {
        _region = (byte*)address;
        _places = places;
        _access = access;
        _readerSleeps = new WaitWord<TAccess>(address, places.ReaderSleeps, access);
        _writerWantsSpace = new WaitWord<TAccess>(address, places.WriterWantsSpace, access);
    }

    /// <summary>Whether there is nothing to take. Any thread, as a hint.</summary>
    public bool IsEmpty => _access.Load(ref Field(_places.Sent)) == _taken;

    /// <summary>Takes what was sent, as much as <paramref name="target"/> holds.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="isSpaceWanted">Whether the writer waits for space, and the caller must notify it: no other thread does.</param>
    /// <returns>How many bytes.</returns>
    /// <exception cref="FrameException">More was sent than a ring holds.</exception>
    public int Take(Span<byte> target, out bool isSpaceWanted)
    {
        var taken = Take(target, _access.Load(ref Field(_places.Sent)));
        isSpaceWanted = taken > 0 && IsSpaceWanted();
        return taken;
    }

    /// <summary>Announces that the reading thread will sleep, until the writer wakes it.</summary>
    /// <returns><c>false</c> when there is something to take, so that it must not sleep.</returns>
    public bool TrySleep()
    {
        _readerSleeps.Raise();
        if (IsEmpty)
        {
            return true;
        }

        _readerSleeps.TryLower();
        return false;
    }

    /// <summary>Takes what was added, including what a dead writer had added and not sent.</summary>
    /// <param name="target">Where to.</param>
    /// <returns>How many bytes.</returns>
    /// <exception cref="FrameException">More was added than a ring holds.</exception>
    public int TakeCommitted(Span<byte> target) => Take(target, _access.Load(ref Field(_places.Committed)));

    private bool IsSpaceWanted()
    {
        _access.Fence();
        return _writerWantsSpace.TryLower();
    }

    private int Take(Span<byte> target, ulong end)
    {
        var there = end - _taken;
        if (there > SharedMemoryLayout.RingSize)
        {
            throw new FrameException(FrameError.ImpossibleSharedMemory, $"the ring of {SharedMemoryLayout.RingSize} bytes reports {end} bytes sent, and {_taken} were taken");
        }

        var count = (int)Math.Min(there, (ulong)target.Length);
        if (count == 0)
        {
            return 0;
        }

        var place = (int)((_taken - _access.Load(ref Field(_places.Origin))) % SharedMemoryLayout.RingSize);
        var first = Math.Min(count, SharedMemoryLayout.RingSize - place);
        new ReadOnlySpan<byte>(_region + _places.Buffer + place, first).CopyTo(target);
        new ReadOnlySpan<byte>(_region + _places.Buffer, count - first).CopyTo(target[first..]);
        _taken += (ulong)count;
        _access.Store(ref Field(_places.Taken), _taken);
        return count;
    }

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_region + offset);
}
