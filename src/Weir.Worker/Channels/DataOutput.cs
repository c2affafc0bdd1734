using System.Diagnostics.CodeAnalysis;
using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;

namespace Weir.Worker.Channels;

/// <summary>
/// The sending side of the data channel. With shared memory, results are added to its ring, where they outlive the worker, and the
/// host is notified of several together; without it they are sent at once. Used concurrently.
/// </summary>
/// <param name="channel">The data channel.</param>
/// <param name="time">The clock.</param>
[SuppressMessage("Design", "CA1001", Justification = "Used until the process ends.")]
internal sealed class DataOutput(WorkerRingChannel channel, TimeProvider time)
{
    // Without shared memory a frame up to this is sent in one piece.
    private const int MostCopied = 16 << 10;

    // More than this is sent at once, even if the worker has something else to do.
    private const int MostUnsent = 128 << 10;

    // A thread that waits for space checks again after this time: user code may have overwritten the word that shows the host that it waits.
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1);

    // One yield each; together about as long as a wake takes. If other threads need the processor a yield takes milliseconds, and one is enough.
    private const int MostLooks = 64;
    private static readonly TimeSpan LongestLook = TimeSpan.FromMicroseconds(100);

    // Held while bytes are copied. A monitor: a thread that finds no space waits on it.
    private readonly object _adding = new();

    // Set by Open, if there is shared memory. Adding to it is under _adding.
    private RingWriter<SharedMemoryAccess>? _ring;

    // Under _adding. Whether a thread adds a frame in parts: until it is complete no other thread adds, and if its end could not be added,
    // none ever does, because this process ends. Whether the host has reported space since the word was raised. The frame that is sent in
    // one piece.
    private bool _isCut;
    private bool _hasSpace;
    private readonly FrameWriter _piece = new();

    /// <summary>The longest payload the host reads; set by HELLO before the first call.</summary>
    public int MostPayload { get; set; } = FrameReader.DefaultMostPayload;

    /// <summary>Whether added bytes count as sent: the host finds them when this process dies.</summary>
    public bool Outlives => _ring is not null;

    /// <summary>Sets where results go; called before the first call.</summary>
    /// <param name="region">The address of the shared memory; 0 for none.</param>
    public void Open(nint region)
    {
        if (region != 0)
        {
            _ring = channel.Share(region);
        }
    }

    /// <summary>Adds a frame, if there is space; sends if much is unsent.</summary>
    /// <returns><c>false</c> when it must be passed to <see cref="Add"/>, which waits.</returns>
    /// <exception cref="ChannelEndedException">The host does not read any more.</exception>
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

    /// <summary>Adds frames; waits while there is no space.</summary>
    /// <exception cref="ChannelEndedException">The host does not read any more.</exception>
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

    /// <summary>Adds a frame that is no longer than a ring, waits for space if necessary, and sends everything, without allocating.</summary>
    /// <exception cref="ChannelEndedException">The host does not read any more.</exception>
    public void SendNow(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        lock (_adding)
        {
            BeginWhole_NeedsAdding();
            while (!TryAdd_NeedsAdding(header, payload))
            {
                Flush();
                WaitForSpace_NeedsAdding(_ring!, FrameHeader.Size + payload.Length);
            }

            EndWhole_NeedsAdding();
        }

        Flush();
    }

    /// <summary>The same without waiting: if there is no space, nothing is added.</summary>
    /// <exception cref="ChannelEndedException">The host does not read any more.</exception>
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

    /// <summary>Sends what was added, and wakes the host even if the shared memory shows that it is awake. Never waits for the host.</summary>
    public void FlushAndWake()
    {
        if (_ring is { } ring)
        {
            ring.Send();
            channel.WakeHostInAnyCase();
        }
    }

    /// <summary>Called when the host reports space again.</summary>
    public void OnSpace()
    {
        lock (_adding)
        {
            _hasSpace = true;
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
            WaitForSpace_NeedsAdding(ring, 1);
        }

        return added;
    }

    // 1. A host that reads frees space within microseconds. 2. Otherwise wait; if the host is gone, the end of its channels ends this process.
    private void WaitForSpace_NeedsAdding(RingWriter<SharedMemoryAccess> ring, int least)
    {
        var began = time.GetTimestamp();
        for (var looks = 0; looks < MostLooks && time.GetElapsedTime(began) <= LongestLook; looks++)
        {
            Thread.Yield();
            if (ring.GetSpace() >= least)
            {
                return;
            }
        }

        _hasSpace = false;
        ring.RaiseWantsSpace();
        while (ring.GetSpace() < least && !_hasSpace)
        {
            Monitor.Wait(_adding, LongestWait);
        }

        ring.LowerWantsSpace();
    }
}
