using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// The items of one request's body, cut out while it arrives. Nothing is read before an item is asked for, except the first one where
/// the operation is isolated, and nothing ahead of it but what the server holds anyway: a sender that is faster than the operation waits in its own connection.
/// </summary>
/// <param name="http">The request.</param>
/// <param name="splitter">Cuts the body.</param>
/// <param name="settings">What bounds it.</param>
internal sealed class HttpItemReader(HttpContext http, ItemSplitter splitter, RequestSettings settings) : ItemReader, IAsyncDisposable
{
    private const int Idle = 0;
    private const int Reading = 1;
    private const int Closed = 2;

    // A timer may fire a little early, and is then set again.
    private static readonly TimeSpan ShortestTimer = TimeSpan.FromMilliseconds(10);

    private readonly PipeReader _body = http.Request.BodyReader;

    // Completed when the body is the server's again.
    private readonly TaskCompletionSource _returned = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Who has the body, the operation or the request's end: settled by compare-and-swap. The operation has it while it waits for an
    // item and looks at one. The rest is for who has it.
    private int _state;
    private int _isReturned;

    // Set by an abort, which waits until the body is the server's again.
    private IHttpRequestLifetimeFeature? _aborted;

    private ReadOnlySequence<byte> _rest;
    private bool _isHeld;
    private bool _hasEnded;
    private ITimer? _stall;

    // Of the wait for one item: since when it lasts, where it is timed yet, and what came meanwhile.
    private bool _isTimed;
    private long _waitBegan;
    private long _waitReceived;

    // The token of who waits.
    private CancellationToken _cancellation;

    // An item that is read before the operation has asked for it; taken by the operation, or else at the request's end.
    private Task<bool>? _first;

    public override string Source => "body";

    public override bool RefusesUnknown => settings.RefuseUnknown;

    public override ReadOnlyMemory<byte> Current => splitter.Current;

    /// <summary>
    /// Begins to read the first item before the operation asks for it, and waits until it is there, the body has ended, or the time
    /// is over. What goes wrong is the operation's to find when it asks.
    /// </summary>
    internal async ValueTask PrefetchAsync(TimeSpan limit)
    {
        Enter();
        var first = ReadAsync(CancellationToken.None).AsTask();
        _first = first;
        if (!first.IsCompleted && limit > TimeSpan.Zero)
        {
            using var done = new CancellationTokenSource();
            await Task.WhenAny(first, Task.Delay(limit, settings.Time, done.Token));
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

        return isTaken ? new ValueTask<bool>(true) : ReadAsync(cancellationToken);
    }

    public override void Release() => Leave();

    /// <summary>The call has ended: whatever its code still does, the body is the server's again.</summary>
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
    /// Ends the items, and aborts the request as soon as no code looks at its body: the caller's thread does not wait for that, the
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
            if (!isTaken)
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

            // By the token, by the timer, or by one of them just when something came: then it is waited on.
            ThrowIfClosed();
        }
    }

    // How long the sender has for the item, or for enough bytes of it. A sender of single bytes would hold the operation for ever.
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
                $"{http.Request.Path} got no whole item and fewer than {settings.LeastBytes} bytes in {stall}, which is WeirServerOptions.SenderStallTimeout. Send items sooner, end the body, or raise it. See {WeirCodes.SenderStalled}.");
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

                // Kept from item to item; a body that never makes the operation wait has none.
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
            throw splitter.Malformed("a body whose chunks have a size");
        }
        catch (Exception error) when (error is InvalidDataException or InvalidOperationException)
        {
            // A middleware of the application unpacks bodies; each coding has its own word for what does not unpack.
            throw splitter.Malformed("a body in the coding that Content-Encoding names");
        }
        catch (OperationCanceledException error) when (!_cancellation.IsCancellationRequested)
        {
            throw new SenderLeftException(error, http.RequestAborted);
        }
        catch (IOException error) when (error is not BadHttpRequestException || http.RequestAborted.IsCancellationRequested)
        {
            throw new SenderLeftException(error, http.RequestAborted);
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
            throw new InvalidOperationException("The items of a streamed request are asked for one at a time.");
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

    // By the end of the call, by an abort, or by both.
    private void Close()
    {
        var state = Interlocked.Exchange(ref _state, Closed);
        if (state == Idle)
        {
            // A first item that failed has let go of the body already.
            _ = Interlocked.Exchange(ref _first, null)?.Exception;
            GiveBack();
        }
        else if (state == Reading)
        {
            // The call ends without waiting for the item it asked for, or that was read for it.
            BodyPipe.CancelRead(_body);
        }

        // Also by the second caller: the first may have come while the read began.
        if (state != Idle && Interlocked.Exchange(ref _first, null) is { } first)
        {
            _ = GiveBackAfterAsync(first);
        }
    }

    // What gave no item has let go by itself.
    private async Task GiveBackAfterAsync(Task<bool> first)
    {
        await ((Task)first).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (first is { IsCompletedSuccessfully: true, Result: true })
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
            // The server itself has aborted the request, and takes nothing back.
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
            throw new SenderLeftException(null, request.RequestAborted);
        }

        throw new InvalidOperationException("The items of a streamed request end with its call.");
    }
}
