namespace Weir.Execution.Pools.Calls;

/// <summary>
/// The content that an operation in a worker returned, as it arrives: read once, forward. It ends only when the worker has sent all of it; a worker that
/// fails makes the next read fail. Disposing it before its end cancels the call. Not for concurrent use.
/// </summary>
/// <param name="call">The call, whose outcome comes after the content.</param>
/// <param name="items">The pieces.</param>
internal sealed class WorkerContent(PoolCall call, ItemPipe items) : Stream
{
    private ReadOnlyMemory<byte> _rest;

    // A wait for the next piece that a token ended: the next read continues it.
    private Task<bool>? _moving;
    private bool _hasEnded;
    private int _isDisposed;

    public override bool CanRead => _isDisposed == 0;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw NotSupported();

    public override long Position
    {
        get => throw NotSupported();
        set => throw NotSupported();
    }

    /// <summary>Waits for the first piece, or for the end of content without one. Then the call has the status and headers that the operation chose.</summary>
    public async ValueTask BeginAsync()
    {
        _hasEnded = !await items.MoveNextAsync().ConfigureAwait(false);
        _rest = _hasEnded ? default : items.Current;
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed != 0, this);
        while (_rest.IsEmpty)
        {
            if (buffer.IsEmpty || !await MoveNextAsync(cancellationToken).ConfigureAwait(false))
            {
                return 0;
            }
        }

        var count = Math.Min(buffer.Length, _rest.Length);
        _rest[..count].CopyTo(buffer);
        _rest = _rest[count..];
        return count;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        var reading = ReadAsync(buffer.AsMemory(offset, count), CancellationToken.None);
        return reading.IsCompletedSuccessfully ? reading.Result : reading.AsTask().GetAwaiter().GetResult();
    }

    public override async Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ValidateCopyToArguments(destination, bufferSize);
        ObjectDisposedException.ThrowIf(_isDisposed != 0, this);
        while (!_rest.IsEmpty || await MoveNextAsync(cancellationToken).ConfigureAwait(false))
        {
            await destination.WriteAsync(_rest, cancellationToken).ConfigureAwait(false);
            _rest = default;
        }
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw NotSupported();

    public override void SetLength(long value) => throw NotSupported();

    public override void Write(byte[] buffer, int offset, int count) => throw NotSupported();

    protected override void Dispose(bool disposing)
    {
        if (disposing && Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            _rest = default;
            items.Close();
            call.Dispose();
        }

        base.Dispose(disposing);
    }

    private async ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_hasEnded)
        {
            return false;
        }

        if (_moving is null && !cancellationToken.CanBeCanceled)
        {
            _hasEnded = !await items.MoveNextAsync().ConfigureAwait(false);
        }
        else
        {
            _moving ??= items.MoveNextAsync().AsTask();
            _hasEnded = !await _moving.WaitAsync(cancellationToken).ConfigureAwait(false);
            _moving = null;
        }

        _rest = _hasEnded ? default : items.Current;
        return !_hasEnded;
    }

    private static NotSupportedException NotSupported() => new("Content that comes from a worker can be read once, forward.");
}
