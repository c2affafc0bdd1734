namespace Weir.Execution.Pipeline;

/// <summary>The stream that an operation returned to code. Disposing it disposes what it was read from, too.</summary>
/// <param name="content">What the operation, or a filter, returned.</param>
/// <param name="resources">Disposed after it.</param>
/// <param name="isHeld">Whether <paramref name="resources"/> disposes the content as well.</param>
internal sealed class ResultStream(Stream content, CallResources resources, bool isHeld) : Stream
{
    private int _isDisposed;

    public override bool CanRead => content.CanRead;

    public override bool CanSeek => content.CanSeek;

    public override bool CanWrite => content.CanWrite;

    public override bool CanTimeout => content.CanTimeout;

    public override long Length => content.Length;

    public override long Position
    {
        get => content.Position;
        set => content.Position = value;
    }

    public override int ReadTimeout
    {
        get => content.ReadTimeout;
        set => content.ReadTimeout = value;
    }

    public override int WriteTimeout
    {
        get => content.WriteTimeout;
        set => content.WriteTimeout = value;
    }

    public override int Read(byte[] buffer, int offset, int count) => content.Read(buffer, offset, count);

    public override int Read(Span<byte> buffer) => content.Read(buffer);

    public override int ReadByte() => content.ReadByte();

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => content.ReadAsync(buffer, offset, count, cancellationToken);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => content.ReadAsync(buffer, cancellationToken);

    public override void CopyTo(Stream destination, int bufferSize) => content.CopyTo(destination, bufferSize);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken) => content.CopyToAsync(destination, bufferSize, cancellationToken);

    public override long Seek(long offset, SeekOrigin origin) => content.Seek(offset, origin);

    public override void SetLength(long value) => content.SetLength(value);

    public override void Write(byte[] buffer, int offset, int count) => content.Write(buffer, offset, count);

    public override void Write(ReadOnlySpan<byte> buffer) => content.Write(buffer);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => content.WriteAsync(buffer, offset, count, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => content.WriteAsync(buffer, cancellationToken);

    public override void Flush() => content.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) => content.FlushAsync(cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        try
        {
            if (!isHeld)
            {
                await content.DisposeAsync();
            }
        }
        finally
        {
            await resources.DisposeAsync();

            // It calls Dispose, which does nothing more.
            await base.DisposeAsync();
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            try
            {
                if (!isHeld)
                {
                    content.Dispose();
                }
            }
            finally
            {
                resources.Dispose();
            }
        }

        base.Dispose(disposing);
    }
}
