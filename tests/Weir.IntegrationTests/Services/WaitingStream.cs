using System.Threading.Channels;

namespace Weir.IntegrationTests.Services;

/// <summary>A caller's content that stops in the middle, until the test lets it continue.</summary>
internal sealed class WaitingStream : Stream
{
    private readonly Channel<int> _available = Channel.CreateUnbounded<int>();
    private readonly TaskCompletionSource _waits = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left;

    internal WaitingStream(int count) => _left = count;

    /// <summary>Ends when a reader waits for more.</summary>
    internal Task Waits => _waits.Task;

    internal void Continue(int count) => _available.Writer.TryWrite(count);

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
        if (_left == 0)
        {
            _waits.TrySetResult();
            _left = await _available.Reader.ReadAsync(cancellationToken);
        }

        var read = Math.Min(buffer.Length, _left);
        _left -= read;
        return read;
    }

    public override int Read(byte[] buffer, int offset, int count) => ReadAsync(buffer.AsMemory(offset, count)).AsTask().GetAwaiter().GetResult();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
