using System.Runtime.ExceptionServices;

namespace Weir.Runtime;

/// <summary>
/// Content as the operation reads it while it arrives: once, forward. A failure that ended it early is thrown by every further read too: content that
/// was cut never looks complete. Not for concurrent use.
/// </summary>
/// <param name="items">Where it arrives.</param>
internal sealed class ReceivedContent(ItemReader items) : Stream
{
    private ReadOnlyMemory<byte> _rest;
    private bool _isHeld;
    private bool _wasRead;
    private bool _hasEnded;
    private bool _isDisposed;
    private Exception? _failure;

    /// <summary>Where it arrives.</summary>
    public ItemReader Items => items;

    /// <summary>Whether nothing was read of it yet.</summary>
    public bool IsUnread => !_wasRead && !_isDisposed;

    public override bool CanRead => !_isDisposed;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw NotSeekable();

    public override long Position
    {
        get => throw NotSeekable();
        set => throw NotSeekable();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
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
        if (_rest.IsEmpty)
        {
            Release();
        }

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
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        while (!_rest.IsEmpty || await MoveNextAsync(cancellationToken).ConfigureAwait(false))
        {
            await destination.WriteAsync(_rest, cancellationToken).ConfigureAwait(false);
            _rest = default;
            Release();
        }
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw NotSeekable();

    public override void SetLength(long value) => throw NotSeekable();

    public override void Write(byte[] buffer, int offset, int count) => throw NotSeekable();

    public override async ValueTask DisposeAsync()
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            Release();
            if (_wasRead)
            {
                await items.StopAsync().ConfigureAwait(false);
            }
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_isDisposed)
        {
            // Stopping only drops what comes: it waits for nothing.
            DisposeAsync().AsTask().GetAwaiter().GetResult();
        }

        base.Dispose(disposing);
    }

    private async ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        if (_failure is { } failure)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        if (_hasEnded)
        {
            return false;
        }

        _wasRead = true;
        try
        {
            _isHeld = await items.MoveNextAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception thrown)
        {
            if (thrown is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
            {
                _failure = thrown;
            }

            throw;
        }

        _hasEnded = !_isHeld;
        _rest = _isHeld ? items.Current : default;
        if (_isHeld && _rest.IsEmpty)
        {
            Release();
        }

        return _isHeld || !_hasEnded;
    }

    private void Release()
    {
        _rest = default;
        if (_isHeld)
        {
            _isHeld = false;
            items.Release();
        }
    }

    private static NotSupportedException NotSeekable() => new("Content that arrives can be read once, forward.");
}
