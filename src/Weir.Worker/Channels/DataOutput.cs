using System.Runtime.InteropServices;
using Weir.Protocol;

namespace Weir.Worker.Channels;

/// <summary>
/// The sending side of the data channel. Answers are added to the outbound buffer, where they outlive the worker, and sent
/// together by whoever finds nobody sending. Used concurrently.
/// </summary>
internal sealed unsafe class DataOutput(IChannel channel) : IDisposable
{
    // Held for as long as bytes are copied, and while a frame goes past the buffer.
    private readonly object _adding = new();

    // The right to send, and to empty the buffer. Taken before _adding, given back under it. No code of the user runs while it is
    // held, so a call that runs long keeps nobody from sending what was finished before it.
    private readonly object _sending = new();

    private OutboundBuffer<PageAccess> _buffer = null!;     // Under _adding; there from Open on.
    private void* _own;

    /// <summary>The longest payload the host reads; set by HELLO before the first call.</summary>
    public int MostPayload { get; set; } = FrameReader.DefaultMostPayload;

    /// <summary>Whether what was added is as good as sent: the host finds it when this process dies.</summary>
    public bool Outlives { get; private set; }

    /// <summary>Before the first call: where the buffer is.</summary>
    /// <param name="page">The address of the page; 0 for memory of the worker's own.</param>
    public void Open(nint page)
    {
        Outlives = page != 0;
        _own = Outlives ? null : NativeMemory.AllocZeroed(PageLayout.Size);
        _buffer = PageAccess.OpenOutbound(Outlives ? page : (nint)_own);
    }

    /// <summary>Adds a frame, if there is room; a buffer that is half full is sent.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public bool TryAdd(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        bool isHalfFull;
        lock (_adding)
        {
            if (!_buffer.TryAdd(header, payload))
            {
                return false;
            }

            isHalfFull = _buffer.Room < PageLayout.BufferSize / 2;
        }

        if (isHalfFull)
        {
            Flush();
        }

        return true;
    }

    /// <summary>Adds frames; what does not fit is sent first, what never fits is sent at once.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public void Add(FrameWriter frames)
    {
        lock (_adding)
        {
            if (_buffer.TryAdd(frames))
            {
                return;
            }
        }

        Monitor.Enter(_sending);
        SendRest(waits: true, frames);
    }

    /// <summary>Adds a frame and sends everything, without allocating.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public void SendNow(in FrameHeader header, ReadOnlySpan<byte> payload)
    {
        if (!TryAdd(header, payload))
        {
            Flush();
            TryAdd(header, payload);
        }

        Flush();
    }

    /// <summary>Sends what was added, or leaves it to the one who sends already. Waits for room.</summary>
    /// <exception cref="ChannelEndedException">Nobody reads any more.</exception>
    public void Flush()
    {
        if (Monitor.TryEnter(_sending))
        {
            SendRest(waits: true);
        }
    }

    /// <summary>The same for a thread that must not wait: what finds no room is left to the thread pool.</summary>
    public void FlushWithoutWaiting()
    {
        if (!Monitor.TryEnter(_sending))
        {
            return;
        }

        try
        {
            if (!SendRest(waits: false))
            {
                ThreadPool.UnsafeQueueUserWorkItem(static output => output.FlushQuietly(), this, preferLocal: false);
            }
        }
        catch (ChannelEndedException)
        {
            // Whoever reads the channels finds out.
        }
    }

    /// <summary>Sends what was added and ends this side; nothing may be added afterwards.</summary>
    public void End()
    {
        FlushQuietly();
        channel.EndSending();
    }

    public void Dispose() => NativeMemory.Free(_own);

    // The right to send is the caller's; it is given back under the lock of those who add: who adds later finds it free.
    // False when there was no room for all of it, and waiting was not allowed.
    private bool SendRest(bool waits, FrameWriter? frames = null)
    {
        var isMine = true;
        try
        {
            var sent = 0;
            while (true)
            {
                ReadOnlySpan<byte> bytes;
                lock (_adding)
                {
                    _buffer.Sent(sent);
                    if (frames is not null && (_buffer.TryAdd(frames) || TrySendAround_NeedsBoth(frames)))
                    {
                        frames = null;
                    }

                    bytes = _buffer.Unsent;
                    if (bytes.IsEmpty)
                    {
                        isMine = false;
                        Monitor.Exit(_sending);
                        return true;
                    }
                }

                sent = waits ? SendAll(bytes) : channel.TrySend(bytes);
                if (sent == 0)
                {
                    return false;
                }
            }
        }
        finally
        {
            if (isMine)
            {
                Monitor.Exit(_sending);
            }
        }
    }

    private int SendAll(ReadOnlySpan<byte> bytes)
    {
        channel.Send(bytes);
        return bytes.Length;
    }

    // Larger than the buffer: from the memory of the call, and nothing is added meanwhile.
    private bool TrySendAround_NeedsBoth(FrameWriter frames)
    {
        if (!_buffer.Unsent.IsEmpty)
        {
            return false;
        }

        var length = frames.Pending;
        while (frames.TryPeek(out var bytes))
        {
            channel.Send(bytes.Span);
            frames.Consume(bytes.Length);
        }

        _buffer.SentAround(length);
        return true;
    }

    private void FlushQuietly()
    {
        try
        {
            Flush();
        }
        catch (ChannelEndedException)
        {
            // Whoever reads the channels finds out.
        }
    }
}
