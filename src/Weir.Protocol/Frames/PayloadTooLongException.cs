namespace Weir.Protocol.Frames;

/// <summary>A payload that was written is longer than a frame may be; nothing of it was sent.</summary>
internal sealed class PayloadTooLongException : Exception
{
    /// <summary>Creates it with both lengths.</summary>
    /// <param name="length">The payload's bytes.</param>
    /// <param name="limit">The limit in bytes.</param>
    public PayloadTooLongException(long length, int limit)
        : base($"The payload has {length} bytes; one frame carries at most {limit}. Stream it in items, or raise the pool's payload limit.")
    {
        Length = length;
        Limit = limit;
    }

    /// <summary>The payload's bytes.</summary>
    public long Length { get; }

    /// <summary>The limit in bytes.</summary>
    public int Limit { get; }
}
