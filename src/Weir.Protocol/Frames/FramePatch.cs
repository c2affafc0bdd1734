namespace Weir.Protocol.Frames;

/// <summary>A place inside a frame that is still open, to be filled in when its value is known.</summary>
internal readonly struct FramePatch
{
    private readonly byte[] _array;
    private readonly int _offset;
    private readonly int _count;

    internal FramePatch(byte[] array, int offset, int count)
    {
        _array = array;
        _offset = offset;
        _count = count;
    }

    /// <summary>The bytes to fill; valid only until the frame is ended.</summary>
    public Span<byte> Span => _array.AsSpan(_offset, _count);
}
