namespace Weir.AspNetCore.Decompression;

/// <summary>
/// The compressed body as a decompressing stream of .NET reads it. Such a stream asks for more bytes at the end of the body only while its data is
/// incomplete; that is refused here. A gzip stream also asks after a complete member, because another one may follow: it gets one byte that begins no
/// member. After a complete member it stops there; within one it asks again.
/// </summary>
/// <param name="body">The request's body. Not disposed.</param>
/// <param name="coding">The name in <c>Content-Encoding</c>.</param>
internal sealed class CompressedBody(Stream body, string coding) : ForwardStream
{
    // A member begins with 0x1F. As the last byte of a member's length it would need data of 4 GB, and then only this byte would be absent.
    private const byte BeginsNoMember = 0xFF;

    private readonly bool _hasMembers = coding.Equals("gzip", StringComparison.OrdinalIgnoreCase) || coding.Equals("x-gzip", StringComparison.OrdinalIgnoreCase);
    private bool _hasBegun;

    /// <summary>Whether the body has ended and the byte was given that is not part of it: what is decompressed afterwards is not data.</summary>
    internal bool IsPastEnd { get; private set; }

    public override int Read(Span<byte> buffer)
    {
        var read = body.Read(buffer);
        return read > 0 || buffer.IsEmpty ? Begin(read) : End(buffer);
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var read = await body.ReadAsync(buffer, cancellationToken);
        return read > 0 || buffer.IsEmpty ? Begin(read) : End(buffer.Span);
    }

    /// <summary>The error of a body that is not complete.</summary>
    internal BrokenCodingException IsCut() => new($"The body ends before its content coding '{coding}' does: a part of it is missing.");

    /// <summary>The error of a body that is not in its coding, which is also how a cut may look.</summary>
    internal BrokenCodingException IsBroken(Exception error) =>
        IsPastEnd ? IsCut() : new($"The body cannot be unpacked, although its Content-Encoding is '{coding}': {error.Message}", error);

    private int Begin(int read)
    {
        _hasBegun |= read > 0;
        return read;
    }

    private int End(Span<byte> buffer)
    {
        if (!_hasBegun)
        {
            // A request without a body.
            return 0;
        }

        if (!_hasMembers || IsPastEnd)
        {
            throw IsCut();
        }

        IsPastEnd = true;
        buffer[0] = BeginsNoMember;
        return 1;
    }
}
