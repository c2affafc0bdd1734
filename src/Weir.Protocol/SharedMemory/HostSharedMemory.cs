using System.Runtime.CompilerServices;
using Weir.Protocol.Frames;

namespace Weir.Protocol.SharedMemory;

/// <summary>
/// The host's side of the shared memory. The worker, or a process it left behind, may write anything to it at any time: every field is
/// read once, checked against what the host knows itself, and bytes are copied before they are parsed.
/// </summary>
/// <remarks>One thread at a time withdraws, one sends, one takes; everything else may be read by any thread.</remarks>
/// <typeparam name="TAccess">How the memory is accessed.</typeparam>
internal sealed unsafe class HostSharedMemory<TAccess>
    where TAccess : struct, ISharedMemoryAccess
{
    // A worker that starts calls faster than this needs no withdrawal; one that writes at random must not hold up the host.
    private const int MostTries = 64;

    private readonly byte* _region;
    private readonly TAccess _access;
    private readonly RingReader<TAccess> _up;
    private readonly RingWriter<TAccess> _down;

    /// <summary>The shared memory at an address, before anything went through its rings.</summary>
    /// <param name="address">The start of <see cref="SharedMemoryLayout.Size"/> bytes, aligned to 64; they outlive this.</param>
    /// <param name="access">How it is accessed.</param>
    public HostSharedMemory(nint address, TAccess access = default)
    {
        _region = (byte*)address;
        _access = access;
        _up = new RingReader<TAccess>(address, SharedMemoryLayout.Up, access);
        _down = new RingWriter<TAccess>(address, SharedMemoryLayout.Down, access);
    }

    /// <summary>Initializes zeroed memory, before the worker sees it. The host counts as asleep until it is first woken.</summary>
    public void Format()
    {
        _access.Store(ref Field(SharedMemoryLayout.Version), SharedMemoryLayout.VersionValue);
        _access.Store(ref Field(SharedMemoryLayout.Magic), SharedMemoryLayout.MagicValue);
        _ = _up.TrySleep();
    }

    /// <summary>The last call the worker has started.</summary>
    /// <param name="atLeast">A call that is known to have been started: the last one with an outcome; 0 for none.</param>
    /// <param name="lastSent">The last call sent to it.</param>
    /// <returns>The last call started; <paramref name="lastSent"/> if the value is impossible: a call that may have run must not run again.</returns>
    public ulong StartedThrough(ulong atLeast, ulong lastSent) =>
        new ClaimWord(_access.Load(ref Field(SharedMemoryLayout.Claim))).TryExpand(atLeast, lastSent, out var started) ? started : lastSent;

    /// <summary>Withdraws every call the worker has not started. On success the host owns them at once; the worker drops them when it reads them.</summary>
    /// <param name="atLeast">A call that is known to have been started; 0 for none.</param>
    /// <param name="lastSent">The last call sent to it: no other may be sent during this method.</param>
    /// <param name="first">The first one withdrawn; the last is <paramref name="lastSent"/>.</param>
    /// <returns><c>false</c> when there is none, an earlier withdrawal is still open, or the shared memory is not valid.</returns>
    public bool TryWithdraw(ulong atLeast, ulong lastSent, out ulong first)
    {
        first = 0;
        ref var claim = ref Field(SharedMemoryLayout.Claim);
        for (var i = 0; i < MostTries; i++)
        {
            // 1. What it has started, and whether calls can be withdrawn now.
            var word = new ClaimWord(_access.Load(ref claim));
            if (word.WithdrawnFirst != 0 || !word.TryExpand(atLeast, lastSent, out var started))
            {
                return false;
            }

            // 2. The first call to withdraw. An id whose low half is 0 means none: that call stays with the worker.
            first = started + 1;
            first += (uint)first == 0 ? 1UL : 0;
            if (first > lastSent)
            {
                return false;
            }

            // 3. The last id first, because the worker reads it as soon as it sees the first one.
            _access.Store(ref Field(SharedMemoryLayout.WithdrawnLast), lastSent);
            if (_access.TrySwap(ref claim, word.Value, word.Withdraw(first).Value))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Reads what the worker reports about its calls so far.</summary>
    public SharedMemoryTotals ReadTotals() => new(_access.Load(ref Field(SharedMemoryLayout.Done)), _access.Load(ref Field(SharedMemoryLayout.Busy)));

    /// <summary>When the worker started a call, as it reports, in nanoseconds of CLOCK_MONOTONIC: only of the call it started last, as a hint.</summary>
    /// <param name="callId">The call.</param>
    /// <returns>0 when the worker reports nothing about this call.</returns>
    public ulong StartOf(ulong callId) =>
        _access.Load(ref Field(SharedMemoryLayout.StartedCall)) == callId ? _access.Load(ref Field(SharedMemoryLayout.StartedAt)) : 0;

    /// <summary>Adds bytes of frames for the worker, as many as there is space for.</summary>
    /// <param name="bytes">A frame may be cut anywhere.</param>
    /// <param name="isWoken">Whether the worker sleeps, and the caller must wake it: no other thread does.</param>
    /// <returns>How many.</returns>
    /// <exception cref="FrameException">The worker reports that it took more than was sent.</exception>
    public int Send(ReadOnlySpan<byte> bytes, out bool isWoken)
    {
        var added = _down.Add(bytes);
        isWoken = _down.TryWake();
        return added;
    }

    /// <summary>Takes bytes that the worker sent.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="isSpaceWanted">Whether the worker waits for space, and the caller must notify it: no other thread does.</param>
    /// <returns>How many.</returns>
    /// <exception cref="FrameException">The worker reports that it sent more than a ring holds.</exception>
    public int Take(Span<byte> target, out bool isSpaceWanted) => _up.Take(target, out isSpaceWanted);

    /// <summary>Announces that the taking thread will sleep, until the worker wakes it.</summary>
    /// <returns><c>false</c> when there is something to take, so that it must not sleep.</returns>
    public bool TrySleep() => _up.TrySleep();

    /// <summary>Announces that the sender waits for space, until the worker wakes the host. Any thread, after <see cref="Send"/> found none.</summary>
    /// <returns><c>false</c> when there is space, so that it need not wait.</returns>
    public bool TryWaitForSpace()
    {
        _down.RaiseWantsSpace();
        if (_down.IsFull)
        {
            return true;
        }

        _down.LowerWantsSpace();
        return false;
    }

    /// <summary>
    /// Reads the bytes that a dead worker had added and not sent, into the reader of the bytes it had sent. Called only when those were
    /// taken to the end, and the process is gone.
    /// </summary>
    /// <param name="frames">The reader.</param>
    public SalvageOutcome Salvage(FrameReader frames)
    {
        ArgumentNullException.ThrowIfNull(frames);
        var outcome = SalvageOutcome.Nothing;
        try
        {
            // A process that outlives the worker may still write: read at most one ring.
            for (var left = SharedMemoryLayout.RingSize; left > 0;)
            {
                var space = frames.GetSpan();
                var taken = _up.TakeCommitted(space[..Math.Min(space.Length, left)]);
                if (taken == 0)
                {
                    break;
                }

                frames.Advance(taken);
                left -= taken;
                outcome = SalvageOutcome.Taken;
            }

            return outcome;
        }
        catch (FrameException)
        {
            return SalvageOutcome.Hostile;
        }
    }

    /// <summary>Whether the worker has sent bytes that were not taken. Any thread, as a hint.</summary>
    public bool HasUnread => !_up.IsEmpty;

    /// <summary>Whether the worker has not taken all that was sent to it. Any thread, as a hint.</summary>
    public bool HasUntaken => !_down.IsTaken;

    /// <summary>Whether there is space again for the sender that waits for it. Any thread.</summary>
    public bool HasSpace => !_down.IsFull;

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_region + offset);
}
