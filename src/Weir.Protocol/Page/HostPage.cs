using System.Runtime.CompilerServices;
using Weir.Protocol.Frames;

namespace Weir.Protocol.Page;

/// <summary>
/// The host's side of a page. The worker, or what it left behind, may write anything to it at any moment: every field is read
/// once, checked against what the host knows itself, and bytes are copied before they are looked at.
/// </summary>
/// <remarks>One thread at a time recalls, one sends, one takes; everything else may be read by anybody.</remarks>
/// <typeparam name="TAccess">How the page is touched.</typeparam>
public sealed unsafe class HostPage<TAccess>
    where TAccess : struct, IPageAccess
{
    // A worker that starts calls faster than this is not behind with them; one that only scribbles must not hold the host.
    private const int MostTries = 64;

    private readonly byte* _page;
    private readonly TAccess _access;
    private readonly RingReader<TAccess> _up;
    private readonly RingWriter<TAccess> _down;
    private readonly WaitWord<TAccess> _hostSleeps;
    private readonly WaitWord<TAccess> _hostWantsRoom;
    private readonly WaitWord<TAccess> _workerSleeps;
    private readonly WaitWord<TAccess> _workerWantsRoom;

    /// <summary>The page at an address, before anything went through its rings.</summary>
    /// <param name="address">The start of <see cref="PageLayout.Size"/> bytes, aligned to 64; they outlive this.</param>
    /// <param name="access">How it is touched.</param>
    public HostPage(nint address, TAccess access = default)
    {
        _page = (byte*)address;
        _access = access;
        _up = new RingReader<TAccess>(address, PageLayout.Up, access);
        _down = new RingWriter<TAccess>(address, PageLayout.Down, access);
        _hostSleeps = new WaitWord<TAccess>(address, PageLayout.HostSleeps, access);
        _hostWantsRoom = new WaitWord<TAccess>(address, PageLayout.HostWantsRoom, access);
        _workerSleeps = new WaitWord<TAccess>(address, PageLayout.WorkerSleeps, access);
        _workerWantsRoom = new WaitWord<TAccess>(address, PageLayout.WorkerWantsRoom, access);
    }

    /// <summary>Makes zeroed memory a page, before the worker sees it. The host sleeps, until it is first woken.</summary>
    public void Format()
    {
        _access.Store(ref Field(PageLayout.Version), PageLayout.VersionValue);
        _access.Store(ref Field(PageLayout.Magic), PageLayout.MagicValue);
        _hostSleeps.Raise();
    }

    /// <summary>The last call the worker has started.</summary>
    /// <param name="atLeast">A call that is known to have been started: the last that was answered; 0 for none.</param>
    /// <param name="lastSent">The last call sent to it.</param>
    /// <returns>Where the page says what cannot be, <paramref name="lastSent"/>: a call that may have run must not run again.</returns>
    public ulong StartedThrough(ulong atLeast, ulong lastSent) =>
        new SettleWord(_access.Load(ref Field(PageLayout.Settle))).TryExpand(atLeast, lastSent, out var started) ? started : lastSent;

    /// <summary>Takes back every call the worker has not started. On success they are the host's at once; the worker drops them when it comes to them.</summary>
    /// <param name="atLeast">A call that is known to have been started; 0 for none.</param>
    /// <param name="lastSent">The last call sent to it: no other may be sent meanwhile.</param>
    /// <param name="first">The first one taken back; the last is <paramref name="lastSent"/>.</param>
    /// <returns><c>false</c> when there is none, when the worker has not come to the end of an earlier recall, or when the page cannot be believed.</returns>
    public bool TryRecall(ulong atLeast, ulong lastSent, out ulong first)
    {
        first = 0;
        ref var settle = ref Field(PageLayout.Settle);
        for (var i = 0; i < MostTries; i++)
        {
            // 1. What it has started, and whether it may be asked.
            var word = new SettleWord(_access.Load(ref settle));
            if (word.RecallFirst != 0 || !word.TryExpand(atLeast, lastSent, out var started))
            {
                return false;
            }

            // 2. From where on. An id whose low half is 0 reads as none: it stays where it is.
            first = started + 1;
            first += (uint)first == 0 ? 1UL : 0;
            if (first > lastSent)
            {
                return false;
            }

            // 3. The end first, for the worker reads it as soon as it sees the beginning.
            _access.Store(ref Field(PageLayout.RecallLast), lastSent);
            if (_access.TrySwap(ref settle, word.Value, word.Recall(first).Value))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>What the worker says about its calls so far.</summary>
    public PageTotals ReadTotals() => new(_access.Load(ref Field(PageLayout.Done)), _access.Load(ref Field(PageLayout.Busy)));

    /// <summary>When the worker says it started a call, in nanoseconds of CLOCK_MONOTONIC: of the call it started last, as a hint.</summary>
    /// <param name="callId">The call.</param>
    /// <returns>0 when the worker says nothing of this call.</returns>
    public ulong StartOf(ulong callId) =>
        _access.Load(ref Field(PageLayout.StartedCall)) == callId ? _access.Load(ref Field(PageLayout.StartedAt)) : 0;

    /// <summary>Adds bytes of frames to what the worker is to take, as many as there is room for.</summary>
    /// <param name="bytes">A frame may be cut anywhere.</param>
    /// <param name="isWoken">Whether the worker sleeps, and is to be woken: nobody else does.</param>
    /// <returns>How many.</returns>
    /// <exception cref="FrameException">The worker says that it took what was not there.</exception>
    public int Send(ReadOnlySpan<byte> bytes, out bool isWoken)
    {
        var added = _down.Add(bytes);
        _access.Fence();
        isWoken = _workerSleeps.TryLower();
        return added;
    }

    /// <summary>Takes bytes that the worker sent.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="isRoomWanted">Whether the worker waits for room, and is to be told: nobody else does.</param>
    /// <returns>How many.</returns>
    /// <exception cref="FrameException">The worker says that it sent more than there is room for.</exception>
    public int Take(Span<byte> target, out bool isRoomWanted)
    {
        var taken = _up.Take(target);
        isRoomWanted = taken > 0 && IsRoomWanted();
        return taken;
    }

    /// <summary>Says that whoever takes sleeps from now on, until the worker wakes it.</summary>
    /// <returns><c>false</c> when there is something to take, and it must not.</returns>
    public bool TrySleep()
    {
        _hostSleeps.Raise();
        if (_up.IsEmpty)
        {
            return true;
        }

        _hostSleeps.TryLower();
        return false;
    }

    /// <summary>Says that whoever sends waits for room, until the worker wakes who takes. Any thread, after <see cref="Send"/> found none.</summary>
    /// <returns><c>false</c> when there is some, and it need not.</returns>
    public bool TryWaitForRoom()
    {
        _hostWantsRoom.Raise();
        if (_down.IsFull)
        {
            return true;
        }

        _hostWantsRoom.TryLower();
        return false;
    }

    /// <summary>
    /// Gives what a dead worker had finished and did not send to the reader of what it sent. Only when that was taken to its end, and the
    /// process is gone.
    /// </summary>
    /// <param name="frames">The reader.</param>
    public SalvageOutcome Salvage(FrameReader frames)
    {
        ArgumentNullException.ThrowIfNull(frames);
        var outcome = SalvageOutcome.Nothing;
        try
        {
            // What outlives the worker may go on writing: at most once around.
            for (var left = PageLayout.RingSize; left > 0;)
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

    /// <summary>Whether the worker has sent what was not taken. Any thread, as a hint.</summary>
    public bool HasUnread => !_up.IsEmpty;

    /// <summary>Whether the worker has not taken all that was sent to it. Any thread, as a hint.</summary>
    public bool HasUntaken => !_down.IsTaken;

    /// <summary>Whether there is room again for who waits for it. Any thread.</summary>
    public bool HasRoom => !_down.IsFull;

    private bool IsRoomWanted()
    {
        _access.Fence();
        return _workerWantsRoom.TryLower();
    }

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_page + offset);
}
