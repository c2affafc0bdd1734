using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Decompression;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// The items of one request's body, or its bytes in pieces, split while it arrives. Nothing is read before an item is requested, except the first one if
/// the operation is isolated, and nothing ahead of it except what the server holds anyway: the connection holds back a faster sender.
/// </summary>
/// <param name="http">The request.</param>
/// <param name="splitter">Splits the body.</param>
/// <param name="settings">Its limits.</param>
internal sealed class HttpItemReader(HttpContext http, BodySplitter splitter, RequestSettings settings) : ItemReader, IAsyncDisposable
{
    private const int Idle = 0;
    private const int Reading = 1;
    private const int Closed = 2;

    // A timer may fire a little early, and is then set again.
    private static readonly TimeSpan ShortestTimer = TimeSpan.FromMilliseconds(10);

    private readonly PipeReader _body = http.Request.BodyReader;

    // Completed when the body was returned to the server.
    private readonly TaskCompletionSource _returned = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Who has the body, the operation or the end of the request: decided by compare-and-swap. The operation has it while it waits for an
    // item and reads one. Only the side that has the body uses the rest of the state.
    private int _state;
    private int _isReturned;

    // Set by an abort, which waits until the body was returned to the server.
    private IHttpRequestLifetimeFeature? _aborted;

    private ReadOnlySequence<byte> _rest;
    private bool _isHeld;
    private bool _hasEnded;
    private ITimer? _stall;

    // Of the wait for one item: whether it is timed yet, since when, and how many bytes came since.
    private bool _isTimed;
    private long _waitBegan;
    private long _waitReceived;

    // The token of the operation that waits.
    private CancellationToken _cancellation;

    // An item that is read before the operation has requested it; taken by the operation, or else at the request's end.
    private Task<bool>? _first;

    public override string Source => "body";

    public override bool RefusesUnknown => settings.RefuseUnknown;

    public override IServiceProvider? Services => http.RequestServices;

    public override JsonValueSerializer? Serializer => settings.Serializer;

    public override ReadOnlyMemory<byte> Current => splitter.Current;

    public override ResultEncoding CurrentEncoding => splitter.Encoding;

    /// <summary>
    /// Begins to read the first item before the operation requests it, and waits until it has come, the body has ended, or the time
    /// is over. If the read fails, the operation gets the error when it requests the item.
    /// </summary>
    /// <param name="limit">How long the caller waits; without a limit, or with a longer one, <see cref="RequestSettings.FirstItemWait"/>.</param>
    internal async ValueTask PrefetchAsync(TimeSpan? limit)
    {
        var wait = limit < RequestSettings.FirstItemWait ? limit.Value : RequestSettings.FirstItemWait;
        Enter();
        var first = ReadAsync(CancellationToken.None).AsTask();
        _first = first;
        if (!first.IsCompleted && wait > TimeSpan.Zero)
        {
            using var done = new CancellationTokenSource();
            await Task.WhenAny(first, Task.Delay(wait, settings.Time, done.Token));
            await done.CancelAsync();
        }
    }

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        if (_first is not null && Interlocked.Exchange(ref _first, null) is { } first)
        {
            return ClaimAsync(first, cancellationToken);
        }

        Enter();
        bool isTaken;
        try
        {
            isTaken = splitter.TryTake(ref _rest);
        }
        catch
        {
            Leave();
            throw;
        }

        if (!isTaken)
        {
            return ReadAsync(cancellationToken);
        }

        LeaveCopied();
        return new ValueTask<bool>(true);
    }

    public override void Release()
    {
        if (!splitter.IsCopied)
        {
            Leave();
        }
    }

    /// <summary>The call has completed: its code may still run, but the body is returned to the server.</summary>
    public async ValueTask DisposeAsync()
    {
        Close();
        await _returned.Task;
        splitter.Dispose();
        if (_stall is { } timer)
        {
            await timer.DisposeAsync();
        }
    }

    /// <summary>
    /// Ends the items, and aborts the request as soon as no code uses its body: the caller's thread does not wait for that, the
    /// request's end does.
    /// </summary>
    /// <param name="request">Aborted.</param>
    internal void Abort(IHttpRequestLifetimeFeature request)
    {
        Interlocked.Exchange(ref _aborted, request);
        Close();
        if (Volatile.Read(ref _isReturned) != 0)
        {
            request.Abort();
        }
    }

    private async ValueTask<bool> ClaimAsync(Task<bool> first, CancellationToken cancellationToken)
    {
        _cancellation = cancellationToken;
        await using var registration = cancellationToken.UnsafeRegister(BodyPipe.CancelRead, _body);
        return await first;
    }

    // All bytes that were read are used up.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> ReadAsync(CancellationToken cancellationToken)
    {
        var isTaken = false;
        _cancellation = cancellationToken;
        _isTimed = false;
        try
        {
            while (!_hasEnded)
            {
                await WaitAsync();
                isTaken = splitter.TryTake(ref _rest);
                if (isTaken)
                {
                    return true;
                }
            }

            isTaken = splitter.TryEnd();
            return isTaken;
        }
        finally
        {
            if (!isTaken || splitter.IsCopied)
            {
                Leave();
            }
        }
    }

    private async ValueTask WaitAsync()
    {
        while (true)
        {
            _cancellation.ThrowIfCancellationRequested();
            var left = TimeLeft();
            Advance();
            var read = await ReadBodyAsync(left);
            _isHeld = true;
            _rest = read.Buffer;
            if (!read.IsCanceled)
            {
                _hasEnded = read.IsCompleted;
                _waitReceived += read.Buffer.Length;
                return;
            }

            // The token cancelled the read, or the timer, or one of them just when something came: then the wait continues.
            ThrowIfClosed();
        }
    }

    // The time that is left for the item, or for enough bytes of it. A sender of single bytes would block the operation without a limit.
    private TimeSpan? TimeLeft()
    {
        if (!_isTimed || settings.SenderStall is not { } stall)
        {
            return settings.SenderStall;
        }

        var waited = settings.Time.GetElapsedTime(_waitBegan);
        if (waited < stall)
        {
            return stall - waited;
        }

        if (_waitReceived < settings.LeastBytes)
        {
            throw new SenderStalledException(
                $"{http.Request.Path} received no {splitter.Awaited} and fewer than {settings.LeastBytes} bytes in {stall}, which is WeirServerOptions.SenderStallTimeout. Send items sooner, end the body, or raise the limit. See {WeirCodes.SenderStalled}.");
        }

        _isTimed = false;
        return stall;
    }

    private async ValueTask<ReadResult> ReadBodyAsync(TimeSpan? left)
    {
        try
        {
            var reading = _body.ReadAsync(CancellationToken.None);
            if (reading.IsCompleted)
            {
                return await reading;
            }

            if (left is { } time)
            {
                if (!_isTimed)
                {
                    (_isTimed, _waitBegan, _waitReceived) = (true, settings.Time.GetTimestamp(), 0);
                }

                // Reused from item to item; a body that never makes the operation wait has none.
                _stall ??= settings.Time.CreateTimer(BodyPipe.CancelRead, _body, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
                _stall.Change(time > ShortestTimer ? time : ShortestTimer, Timeout.InfiniteTimeSpan);
            }

            try
            {
                await using var registration = _cancellation.UnsafeRegister(BodyPipe.CancelRead, _body);
                return await reading;
            }
            finally
            {
                _stall?.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }
        catch (Exception error) when (UnreadableBody.IsChunkTooLarge(error))
        {
            throw splitter.Malformed("a body whose chunks have a valid size");
        }
        catch (Exception error) when (error is InvalidDataException or InvalidOperationException or BrokenCodingException)
        {
            // A middleware of the application decompresses bodies; each coding of the application throws its own exception for invalid data.
            throw splitter.Malformed(BrokenCodingException.Expected);
        }
        catch (OperationCanceledException error) when (!_cancellation.IsCancellationRequested)
        {
            throw new SenderDisconnectedException(error, http.RequestAborted);
        }
        catch (IOException error) when (error is not BadHttpRequestException || http.RequestAborted.IsCancellationRequested)
        {
            throw new SenderDisconnectedException(error, http.RequestAborted);
        }
    }

    private void Advance()
    {
        if (_isHeld)
        {
            _isHeld = false;
            _body.AdvanceTo(_rest.Start);
        }
    }

    private void Enter()
    {
        if (Interlocked.CompareExchange(ref _state, Reading, Idle) == Reading)
        {
            throw new InvalidOperationException("The items of a streamed request must be read one at a time.");
        }

        ThrowIfClosed();
    }

    private void Leave()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, Reading) == Closed)
        {
            GiveBack();
        }
    }

    // The operation has a copy of the item, and the body is free while it uses that.
    private void LeaveCopied()
    {
        if (splitter.IsCopied)
        {
            Leave();
        }
    }

    // Called at the end of the call, by an abort, or by both.
    private void Close()
    {
        var state = Interlocked.Exchange(ref _state, Closed);
        if (state == Idle)
        {
            // A first item that failed has already released the body.
            _ = Interlocked.Exchange(ref _first, null)?.Exception;
            GiveBack();
        }
        else if (state == Reading)
        {
            // The call completes without waiting for the item it requested, or that was read for it.
            BodyPipe.CancelRead(_body);
        }

        // Also in the second call: the first call may have run while the read began.
        if (state != Idle && Interlocked.Exchange(ref _first, null) is { } first)
        {
            _ = GiveBackAfterAsync(first);
        }
    }

    // A read that returned no item, or a copy, has already released the body.
    private async Task GiveBackAfterAsync(Task<bool> first)
    {
        await ((Task)first).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (first is { IsCompletedSuccessfully: true, Result: true } && !splitter.IsCopied)
        {
            GiveBack();
        }
    }

    // All that was read counts as consumed. The server drains nothing of an aborted request, and a remainder, or a read that an abort
    // found without its AdvanceTo, would fail the connection with a warning ("Reading is already in progress").
    private void GiveBack()
    {
        try
        {
            if (_isHeld)
            {
                _isHeld = false;
                _body.AdvanceTo(_rest.End);
            }
        }
        catch (Exception)
        {
            // The server itself has aborted the request, and accepts nothing.
        }

        try
        {
            Interlocked.Exchange(ref _isReturned, 1);
            Volatile.Read(ref _aborted)?.Abort();
        }
        finally
        {
            _returned.SetResult();
        }
    }

    private void ThrowIfClosed()
    {
        if (Volatile.Read(ref _state) != Closed)
        {
            return;
        }

        if (Volatile.Read(ref _aborted) is { } request)
        {
            throw new SenderDisconnectedException(null, request.RequestAborted);
        }

        throw new InvalidOperationException("The call is complete, so the items of its request cannot be read any more.");
    }
}
