using Weir.Client.Requests;

namespace Weir.Client.Responses;

/// <summary>The body of a response as the caller reads it. Disposing of it ends the request.</summary>
internal sealed class DownloadedStream(Stream source, HttpResponseMessage response, CallLimit limit) : Stream
{
    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => source.Read(buffer, offset, count);

    public override async Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        using var ending = limit.Token.Register(static one => ((HttpResponseMessage)one!).Dispose(), response);
        try
        {
#if NET
            return await source.ReadAsync(buffer.AsMemory(offset, count), cancellationToken).ConfigureAwait(false);
#else
            return await source.ReadAsync(buffer, offset, count, cancellationToken).ConfigureAwait(false);
#endif
        }
        catch (Exception error)
        {
            cancellationToken.ThrowIfCancellationRequested();
            limit.ThrowIfReached(error);
            throw;
        }
    }

#if NET
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        using var ending = limit.Token.Register(static one => ((HttpResponseMessage)one!).Dispose(), response);
        try
        {
            return await source.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            cancellationToken.ThrowIfCancellationRequested();
            limit.ThrowIfReached(error);
            throw;
        }
    }
#endif

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            response.Dispose();
            source.Dispose();
            limit.Dispose();
        }

        base.Dispose(disposing);
    }
}
