using System.Runtime.CompilerServices;

namespace Weir.Protocol;

/// <summary>
/// The bytes a worker has for its host and has not sent, where they outlive it: whole frames behind <c>committed</c>, sent from
/// <c>base</c> on. What the channel did not deliver of a dead worker, its host takes from here.
/// </summary>
/// <remarks>
/// Used under its owner's lock; only the bytes of <see cref="Unsent"/> may be read outside of it, by the one who sends them: they
/// stay where they are until <see cref="Sent"/> has said that all of them are gone. Bounded: <see cref="PageLayout.BufferSize"/>.
/// A worker without a page has the same buffer in memory of its own.
/// </remarks>
/// <typeparam name="TAccess">How the page is touched.</typeparam>
public sealed unsafe class OutboundBuffer<TAccess>
    where TAccess : struct, IPageAccess
{
    private readonly byte* _page;
    private readonly TAccess _access;

    // Offsets in the stream. What the page says of them is written, never read.
    private ulong _base;
    private ulong _sent;
    private ulong _committed;

    /// <summary>The buffer of the page at an address; nothing was sent yet.</summary>
    /// <param name="address">As for <see cref="WorkerPage{TAccess}"/>.</param>
    /// <param name="access">How it is touched.</param>
    public OutboundBuffer(nint address, TAccess access = default)
    {
        _page = (byte*)address;
        _access = access;
    }

    /// <summary>What may be added before everything is sent.</summary>
    public int Room => PageLayout.BufferSize - (int)(_committed - _base);

    /// <summary>What is to be sent next, in one piece.</summary>
    public ReadOnlySpan<byte> Unsent => Bytes((int)(_sent - _base), (int)(_committed - _sent));

    /// <summary>Adds a frame.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="payload">Its payload.</param>
    /// <returns><c>false</c> when there is no room.</returns>
    public bool TryAdd(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        var length = FrameHeader.Size + payload.Length;
        if (length > Room)
        {
            return false;
        }

        Span<byte> head = stackalloc byte[FrameHeader.Size];
        header.Write(head);
        var at = (int)(_committed - _base);
        _access.Fill(Bytes(at, head.Length), head);
        _access.Fill(Bytes(at + head.Length, payload.Length), payload);
        Commit(length);
        return true;
    }

    /// <summary>Adds everything a writer holds, and takes it from the writer.</summary>
    /// <param name="frames">Ended frames.</param>
    /// <returns><c>false</c> when there is no room.</returns>
    public bool TryAdd(FrameWriter frames)
    {
        ArgumentNullException.ThrowIfNull(frames);
        if (frames.Pending > Room)
        {
            return false;
        }

        var at = (int)(_committed - _base);
        var length = 0;
        while (frames.TryPeek(out var bytes))
        {
            _access.Fill(Bytes(at + length, bytes.Length), bytes.Span);
            frames.Consume(bytes.Length);
            length += bytes.Length;
        }

        Commit(length);
        return true;
    }

    /// <summary>Says that bytes of <see cref="Unsent"/> were sent. The last of them empty the buffer.</summary>
    /// <param name="count">At most so many as there were.</param>
    public void Sent(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)count, _committed - _sent);
        _sent += (ulong)count;
        if (_sent == _committed && _base != _committed)
        {
            _base = _committed;
            _access.Store(ref Field(PageLayout.Base), _base);
        }
    }

    /// <summary>Says that a frame too large for the buffer was sent past it. Only while nothing is unsent.</summary>
    /// <param name="count">The bytes of the frame.</param>
    public void SentAround(long count)
    {
        if (_sent != _committed)
        {
            throw new InvalidOperationException($"{_committed - _sent} bytes were to be sent before.");
        }

        // In this order: a host that finds base above committed has received more than either, and takes nothing.
        _base = _sent = _committed += (ulong)count;
        _access.Store(ref Field(PageLayout.Base), _base);
        _access.Store(ref Field(PageLayout.Committed), _committed);
    }

    private void Commit(int length)
    {
        _committed += (ulong)length;
        _access.Store(ref Field(PageLayout.Committed), _committed);
    }

    private Span<byte> Bytes(int at, int length) => new Span<byte>(_page + PageLayout.Buffer, PageLayout.BufferSize).Slice(at, length);

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_page + offset);
}
