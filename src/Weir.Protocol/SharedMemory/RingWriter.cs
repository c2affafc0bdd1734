using System.Runtime.CompilerServices;
using Weir.Protocol.Frames;

namespace Weir.Protocol.SharedMemory;

/// <summary>
/// The writing end of a ring: a stream of bytes in memory that both sides share. Bytes that are added are committed, and outlive the
/// writer; the reader may take bytes that are sent.
/// </summary>
/// <remarks>
/// One thread at a time adds; any thread may call <see cref="Send"/> and <see cref="TryWake"/>. Never waits, and wakes no thread itself: where
/// there is no space, the caller waits, and where the reader sleeps, the caller wakes it.
/// </remarks>
/// <typeparam name="TAccess">How the memory is accessed.</typeparam>
internal sealed unsafe class RingWriter<TAccess>
    where TAccess : struct, ISharedMemoryAccess
{
    // Until this many bytes were written from the start of the buffer, the writer does not check whether all of them were taken.
    private const int NearSize = 16 << 10;

    private readonly byte* _region;
    private readonly TAccess _access;
    private readonly RingPlaces _places;
    private readonly WaitWord<TAccess> _readerSleeps;
    private readonly WaitWord<TAccess> _writerWantsSpace;

    // Owned by the adding thread. While it adds, it writes _committed to the shared memory but never reads it from there.
    private ulong _committed;
    private ulong _taken;
    private ulong _origin;

    // How much was taken when there was no space. Owned by the adding thread; read by a thread that waits.
    private ulong _fullAt = ulong.MaxValue;

    /// <summary>The writing end of a ring to which nothing was added yet.</summary>
    /// <param name="address">As for <see cref="WorkerSharedMemory{TAccess}"/>.</param>
    /// <param name="places">Which ring.</param>
    /// <param name="access">How it is accessed.</param>
    public RingWriter(nint address, RingPlaces places, TAccess access = default)
    {
        _region = (byte*)address;
        _places = places;
        _access = access;
        _readerSleeps = new WaitWord<TAccess>(address, places.ReaderSleeps, access);
        _writerWantsSpace = new WaitWord<TAccess>(address, places.WriterWantsSpace, access);
    }

    /// <summary>Whether there is no more space than when <see cref="Add"/> found none. Any thread, until the next add.</summary>
    public bool IsFull => _access.Load(ref Field(_places.Taken)) == Volatile.Read(ref _fullAt);

    /// <summary>Whether the reader has taken everything that was added. Any thread, as a hint.</summary>
    public bool IsTaken => _access.Load(ref Field(_places.Taken)) == Volatile.Read(ref _committed);

    /// <summary>The bytes that were added and not sent. For the adding thread.</summary>
    public int Unsent => (int)(_committed - _access.Load(ref Field(_places.Sent)));

    /// <summary>How many bytes may be added now.</summary>
    /// <exception cref="FrameException">The reader reports that it took more than was added.</exception>
    public int GetSpace()
    {
        var taken = _access.Load(ref Field(_places.Taken));
        if (_committed - taken > _committed - _taken)
        {
            throw new FrameException(FrameError.ImpossibleSharedMemory, $"the ring reports {taken} bytes taken, it reported {_taken} before; {_committed} were sent");
        }

        _taken = taken;
        return Space;
    }

    /// <summary>Adds a frame, if there is space for all of it.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="payload">Its payload.</param>
    /// <exception cref="FrameException">As for <see cref="GetSpace"/>.</exception>
    public bool TryAdd(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        if (!HasSpace(FrameHeader.Size + (long)payload.Length))
        {
            return false;
        }

        StayNear();
        Span<byte> head = stackalloc byte[FrameHeader.Size];
        header.Write(head);
        Copy(_committed, head);
        Copy(_committed + FrameHeader.Size, payload);
        Commit(FrameHeader.Size + payload.Length);
        return true;
    }

    /// <summary>Adds as many bytes as there is space for.</summary>
    /// <param name="bytes">Of frames, in order; a frame may be cut anywhere.</param>
    /// <returns>How many.</returns>
    /// <exception cref="FrameException">As for <see cref="GetSpace"/>.</exception>
    public int Add(ReadOnlySpan<byte> bytes)
    {
        if (!HasSpace(bytes.Length))
        {
            bytes = bytes[..Space];
            if (bytes.IsEmpty)
            {
                Volatile.Write(ref _fullAt, _taken);
                return 0;
            }
        }

        StayNear();
        Copy(_committed, bytes);
        Commit(bytes.Length);
        return bytes.Length;
    }

    /// <summary>Lets the reader take what was added. <see cref="TryWake"/> follows.</summary>
    /// <returns>Whether there was anything that had not been sent.</returns>
    public bool Send()
    {
        while (true)
        {
            // Never backwards: another thread may have sent what was added later.
            var sent = _access.Load(ref Field(_places.Sent));
            var committed = _access.Load(ref Field(_places.Committed));
            if (committed == sent)
            {
                return false;
            }

            if (_access.TrySwap(ref Field(_places.Sent), sent, committed))
            {
                return true;
            }
        }
    }

    /// <summary>Checks, after bytes were sent, whether the reader sleeps. Any thread.</summary>
    /// <returns>Whether it does, and the caller must wake it: no other thread does.</returns>
    public bool TryWake()
    {
        _access.Fence();
        return _readerSleeps.TryLower();
    }

    /// <summary>Announces that the writer waits for space; the caller then checks once more whether there is any. Any thread.</summary>
    public void RaiseWantsSpace() => _writerWantsSpace.Raise();

    /// <summary>The writer does not wait any more.</summary>
    public void LowerWantsSpace() => _writerWantsSpace.TryLower();

    // As far as is known without a look at what the reader has taken since.
    private int Space => SharedMemoryLayout.RingSize - (int)(_committed - _taken);

    private bool HasSpace(long length) => length <= Space || length <= GetSpace();

    // If the reader keeps up, the writer stays at the start of the buffer, and in the caches: only memory in use is ever touched.
    private void StayNear()
    {
        if (_committed - _origin >= NearSize && GetSpace() == SharedMemoryLayout.RingSize)
        {
            _origin = _committed;
            _access.Store(ref Field(_places.Origin), _origin);
        }
    }

    private void Commit(int length)
    {
        _committed += (ulong)length;
        _access.Store(ref Field(_places.Committed), _committed);
    }

    private void Copy(ulong at, ReadOnlySpan<byte> bytes)
    {
        var place = (int)((at - _origin) % SharedMemoryLayout.RingSize);
        var first = Math.Min(bytes.Length, SharedMemoryLayout.RingSize - place);
        _access.Fill(new Span<byte>(_region + _places.Buffer + place, first), bytes[..first]);
        if (first < bytes.Length)
        {
            _access.Fill(new Span<byte>(_region + _places.Buffer, bytes.Length - first), bytes[first..]);
        }
    }

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_region + offset);
}
