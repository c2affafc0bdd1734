using System.Diagnostics.CodeAnalysis;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;

namespace Weir.Worker.Channels;

/// <summary>
/// The sending side of the data channel. With a page, answers are added to its ring, where they outlive the worker, and the host is told
/// of them together; without one they are sent at once. Used concurrently.
/// </summary>
/// <param name="channel">The data channel.</param>
/// <param name="time">The clock.</param>
[SuppressMessage("Design", "CA1001", Justification = "Used until the process ends.")]
internal sealed class DataSendQueue(WorkerRingChannel channel, TimeProvider time)
{
    // Without a page a frame up to this is sent in one piece.
    private const int MostCopied = 16 << 10;

    // More is not kept until the worker has nothing else to do.
    private const int MostUnsent = 128 << 10;

    // Who waits for room looks after so long by itself: the user's code may have overwritten the word by which the host sees that it waits.
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1);

    // A yield each: as long as it takes to be woken. Where others need the processor a yield takes milliseconds, and one is enough.
    private const int MostLooks = 64;
    private static readonly TimeSpan LongestLook = TimeSpan.FromMicroseconds(100);

    // Held for as long as bytes are copied. A monitor: who finds no room waits on it.
    private readonly object _adding = new();

    // There from Open on, if there is a page. What adds is under _adding.
    private RingWriter<PageAccess>? _ring;
    private WaitWord<PageAccess> _wantsRoom;

    // Under _adding. Whether a frame is cut, because there was no room: nobody else adds meanwhile, and nobody ever again where its end
    // could not be added, for this process is at its end. Whether the host has said that there is room since the word was raised. What is
    // sent in one piece.
    private bool _isCut;
    private bool _hasRoom;
    private readonly FrameWriter _piece = new();

    /// <summary>The longest payload the host reads; set by HELLO before the first call.</summary>
    public int MostPayload { get; set; } = FrameReader.DefaultMostPayload;

    /// <summary>Whether what was added is as good as sent: the host finds it when this process dies.</summary>
    public bool Outlives => _ring is not null;

    /// <summary>Before the first call: where answers go.</summary>
    /// <param name="page">The address of the page; 0 for none.</param>
    public void Open(nint page)
    {
        if (page != 0)
        {
            _wantsRoom = PageAccess.OpenWaitWord(page, PageLayout.WorkerWantsRoom);
            _ring = channel.Share(page);
        }
    }

    /// <summary>Adds a frame, if there is room; where much was added, it is sent.</summary>
    /// <returns><c>false</c> when it is for <see cref="Add"/>, which waits.</returns>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public bool TryAdd(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        bool isMuch;
        lock (_adding)
        {
            if (_isCut || !TryAdd_NeedsAdding(header, payload))
            {
                return false;
            }

            isMuch = _ring?.Unsent > MostUnsent;
        }

        if (isMuch)
        {
            Flush();
        }

        return true;
    }

    /// <summary>Adds frames, waiting for room where there is none.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public void Add(FrameWriter frames)
    {
        lock (_adding)
        {
            BeginWhole_NeedsAdding();
            while (frames.TryPeek(out var bytes))
            {
                frames.Consume(AddSome_NeedsAdding(bytes.Span));
            }

            EndWhole_NeedsAdding();
        }
    }

    /// <summary>Adds a frame that is no longer than a ring, waiting for room, and sends everything, without allocating.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public void SendNow(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        lock (_adding)
        {
            BeginWhole_NeedsAdding();
            while (!TryAdd_NeedsAdding(header, payload))
            {
                Flush();
                WaitForRoom_NeedsAdding(_ring!, FrameHeader.Size + payload.Length);
            }

            EndWhole_NeedsAdding();
        }

        Flush();
    }

    /// <summary>The same for who has no time to wait: where there is no room, nothing is added.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public void TrySendNow(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        TryAdd(header, payload);
        Flush();
    }

    /// <summary>Sends what was added. Never waits for the host.</summary>
    public void Flush()
    {
        if (_ring?.Send() == true)
        {
            channel.WakeHost();
        }
    }

    /// <summary>Sends what was added, and wakes the host, whether or not the shared memory says that it sleeps. Never waits for the host.</summary>
    public void FlushAndWake()
    {
        if (_ring is { } ring)
        {
            ring.Send();
            channel.WakeHostInAnyCase();
        }
    }

    /// <summary>The host says that there is room again.</summary>
    public void OnRoom()
    {
        lock (_adding)
        {
            _hasRoom = true;
            Monitor.PulseAll(_adding);
        }
    }

    /// <summary>Sends what was added and ends this side; nothing may be added afterwards.</summary>
    public void End()
    {
        Flush();
        channel.EndSending();
    }

    private bool TryAdd_NeedsAdding(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        if (_ring is { } ring)
        {
            return ring.TryAdd(header, payload);
        }

        if (payload.Length > MostCopied)
        {
            return false;
        }

        _piece.Begin(header.Type, header.CallId, header.Flags);
        _piece.Write(payload);
        _piece.End();
        while (_piece.TryPeek(out var bytes))
        {
            channel.Send(bytes.Span);
            _piece.Consume(bytes.Length);
        }

        return true;
    }

    private void BeginWhole_NeedsAdding()
    {
        while (_isCut)
        {
            Monitor.Wait(_adding);
        }

        _isCut = true;
    }

    private void EndWhole_NeedsAdding()
    {
        _isCut = false;
        Monitor.PulseAll(_adding);
    }

    private int AddSome_NeedsAdding(ReadOnlySpan<byte> bytes)
    {
        if (_ring is not { } ring)
        {
            channel.Send(bytes);
            return bytes.Length;
        }

        // In pieces: the host reads the first while the next is added.
        var added = ring.Add(bytes[..Math.Min(bytes.Length, MostUnsent)]);
        if (added == 0 || ring.Unsent >= MostUnsent)
        {
            Flush();
        }

        if (added == 0)
        {
            WaitForRoom_NeedsAdding(ring, 1);
        }

        return added;
    }

    // 1. A host that reads makes room within microseconds. 2. One that does not is waited for; the end of its channels ends this process.
    private void WaitForRoom_NeedsAdding(RingWriter<PageAccess> ring, int least)
    {
        var began = time.GetTimestamp();
        for (var looks = 0; looks < MostLooks && time.GetElapsedTime(began) <= LongestLook; looks++)
        {
            Thread.Yield();
            if (ring.GetRoom() >= least)
            {
                return;
            }
        }

        _hasRoom = false;
        _wantsRoom.Raise();
        while (ring.GetRoom() < least && !_hasRoom)
        {
            Monitor.Wait(_adding, LongestWait);
        }

        _wantsRoom.TryLower();
    }
}
