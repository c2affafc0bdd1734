using Weir.Runtime;


namespace Weir.Protocol.Frames;

/// <summary>
/// Turns received bytes into frames. Bytes are received into <see cref="GetSpan"/> and announced with
/// <see cref="Advance"/>, or pushed with <see cref="Append"/>; <see cref="TryRead"/> then returns whole frames.
/// </summary>
/// <remarks>
/// One thread. The buffer grows with the bytes that have arrived, never with the length a header announces: it
/// doubles when three quarters of it are unread, from 64 KB on.
/// After a <see cref="FrameException"/> the channel is unusable: every further <see cref="TryRead"/> throws it again.
/// </remarks>
internal sealed class FrameReader : IDisposable
{
    /// <summary>The default limit of one payload: 64 MB.</summary>
    public const int DefaultMostPayload = 64 << 20;

    /// <summary>The size of the first buffer.</summary>
    public const int FirstSize = 64 << 10;

    /// <summary>Every receive has at least this much space.</summary>
    private const int LeastSpace = 16 << 10;

    /// <summary>
    /// A buffer larger than this goes back to the pool as soon as it is empty. To grow again for every payload of a megabyte
    /// costs more than to receive it.
    /// </summary>
    private const int LargestKept = 4 << 20;

    private readonly FrameRoute _routes;
    private byte[] _buffer;
    private int _start;
    private int _end;
    private FrameHeader _header;
    private bool _headerRead;
    private FrameException? _broken;

    /// <summary>Reads one channel in one direction.</summary>
    /// <param name="routes">What may arrive here.</param>
    /// <param name="mostPayload">The limit of one payload in bytes; default 64 MB, 0 to 1 GB.</param>
    /// <param name="first">The first buffer, for a reader whose process has not used the array pool yet; default one of the pool.</param>
    public FrameReader(FrameRoute routes, int mostPayload = DefaultMostPayload, byte[]? first = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(mostPayload);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(mostPayload, 1 << 30);
        _routes = routes;
        _buffer = first ?? [];
        MostPayload = mostPayload;
    }

    /// <summary>The limit of one payload in bytes; a longer one is <see cref="FrameError.PayloadTooLong"/>.</summary>
    public int MostPayload { get; set; }

    /// <summary>Received bytes that are not part of a returned frame yet. Other than 0 at the channel's end it is <see cref="FrameError.CutOff"/>.</summary>
    public int Unread => _end - _start;

    /// <summary>The bytes the reader holds now.</summary>
    public int Capacity => _buffer.Length;

    /// <summary>Space to receive into, never empty. The last frame is not valid any more.</summary>
    public Span<byte> GetSpan()
    {
        MakeSpace();
        return _buffer.AsSpan(_end);
    }

    /// <summary>Like <see cref="GetSpan"/>, for receivers that need memory.</summary>
    public Memory<byte> GetMemory()
    {
        MakeSpace();
        return _buffer.AsMemory(_end);
    }

    /// <summary>Sets how many bytes were received.</summary>
    /// <param name="count">At most the length of the space that was returned.</param>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - _end);
        _end += count;
    }

    /// <summary>Pushes received bytes, by copy. Frames must be read in between, or the buffer holds all of them.</summary>
    /// <param name="bytes">Any part of the channel's bytes.</param>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            var space = GetSpan();
            var count = Math.Min(space.Length, bytes.Length);
            bytes[..count].CopyTo(space);
            _end += count;
            bytes = bytes[count..];
        }
    }

    /// <summary>The next whole frame, if all of it has arrived.</summary>
    /// <param name="frame">Valid until the reader is used again.</param>
    /// <exception cref="FrameException">The header breaks a rule.</exception>
    public bool TryRead(out Frame frame)
    {
        frame = default;
        if (_broken is not null)
        {
            throw _broken;
        }

        if (!_headerRead)
        {
            if (Unread < FrameHeader.Size)
            {
                return false;
            }

            try
            {
                _header = FrameHeader.Read(_buffer.AsSpan(_start), _routes, MostPayload);
            }
            catch (FrameException violation)
            {
                _broken = violation;
                throw;
            }

            _headerRead = true;
            _start += FrameHeader.Size;
        }

        if (Unread < _header.PayloadLength)
        {
            return false;
        }

        frame = new Frame(_header, _buffer.AsMemory(_start, _header.PayloadLength));
        _start += _header.PayloadLength;
        _headerRead = false;
        return true;
    }

    /// <summary>
    /// Transfers the buffer with the last frame to the caller, who returns it to the shared array pool when the frame is not used
    /// any more. The reader continues in another one.
    /// </summary>
    public byte[] Detach()
    {
        var detached = _buffer;
        var unread = Unread;
        var fresh = BoundedArrayPool.Rent(Math.Max(FirstSize, unread + LeastSpace));
        detached.AsSpan(_start, unread).CopyTo(fresh);
        _buffer = fresh;
        _start = 0;
        _end = unread;
        return detached;
    }

    /// <summary>Called when the channel has ended.</summary>
    /// <exception cref="FrameException">It ended inside a frame.</exception>
    public void Complete()
    {
        if (_broken is null && (_headerRead || Unread > 0))
        {
            throw new FrameException(FrameError.CutOff, $"the channel ended {Unread} bytes into a {(_headerRead ? _header.Type.ToString() : "header")}");
        }
    }

    /// <summary>Gives the buffer back; a channel that falls idle holds nothing.</summary>
    public void Trim()
    {
        if (Unread == 0)
        {
            Replace([], 0);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Replace([], 0);

    private void MakeSpace()
    {
        var unread = Unread;
        if (unread == 0)
        {
            _start = _end = 0;
            if (_buffer.Length > LargestKept)
            {
                Replace([], 0);
            }
        }

        if (_buffer.Length - _end >= LeastSpace)
        {
            return;
        }

        // 1. Move the rest to the front if that frees enough space. 2. Otherwise grow by what has arrived.
        if (_buffer.Length - unread >= Math.Max(LeastSpace, _buffer.Length / 4))
        {
            _buffer.AsSpan(_start, unread).CopyTo(_buffer);
            _start = 0;
            _end = unread;
            return;
        }

        var larger = BoundedArrayPool.Rent(Math.Max(FirstSize, 2 * _buffer.Length));
        _buffer.AsSpan(_start, unread).CopyTo(larger);
        Replace(larger, unread);
    }

    private void Replace(byte[] buffer, int unread)
    {
        if (_buffer.Length > 0)
        {
            BoundedArrayPool.Return(_buffer);
        }

        _buffer = buffer;
        _start = 0;
        _end = unread;
    }
}
