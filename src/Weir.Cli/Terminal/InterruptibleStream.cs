namespace Weir.Cli.Terminal;

/// <summary>
/// Reads a stream whose reads block and cannot be cancelled, as those of a terminal or a pipe. A read that is given up leaves its thread, and the bytes
/// that it still receives, behind; so the stream is not disposed, which could wait for that read.
/// </summary>
internal sealed class InterruptibleStream(Stream stream) : Stream
{
    // The read that was given up may still write here: the caller's buffer has another owner then.
    private readonly byte[] _buffer = new byte[16_384];

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var most = Math.Min(buffer.Length, _buffer.Length);
        var count = await Task.Run(() => stream.Read(_buffer, 0, most), cancellationToken).WaitAsync(cancellationToken);
        _buffer.AsSpan(0, count).CopyTo(buffer.Span);
        return count;
    }

    public override int Read(byte[] buffer, int offset, int count) => stream.Read(buffer, offset, count);

    public override void Flush() => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
