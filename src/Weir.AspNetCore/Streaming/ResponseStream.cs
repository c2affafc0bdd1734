using System.Runtime.ExceptionServices;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Takes the items of one stream and sends them. One flow enumerates and writes; while it waits for the next item it
/// releases the response, and the timers may send items that wait too long or a sign that the stream is alive.
/// </summary>
internal sealed class ResponseStream : IStreamPump, IAsyncDisposable
{
    // An abort drops what the transport has not taken yet; flushed bytes get this long to be sent.
    private static readonly TimeSpan DrainTime = TimeSpan.FromMilliseconds(50);

    private readonly StreamSettings _settings;
    private readonly FlushTicker _ticker;
    private readonly IStreamOutput _output;
    private readonly IStreamFormat _format;
    private readonly FlushPolicy _policy;
    private readonly ResponseWriteLock _turn = new();
    private readonly ItemBuffer _buffer;
    private readonly StreamWatch _watch;

    // Producer only, if it is asynchronous: a blocking one has a thread of its own.
    private TimeSlice _slice;

    // Producer only: whether it holds the write lock.
    private bool _holdsTurn = true;

    // Set by a timer that could not take the write lock in time; the producer sends after its current item.
    private volatile bool _isOverdue;

    private volatile bool _isStalled;

    // Whether there was a source at all.
    private bool _isPumped;

    // The failure that ended the loop over the source before the end of the source.
    private ExceptionDispatchInfo? _failure;

    // What sending threw on a timer or beside the running producer; the producer throws it when it takes the write lock again.
    private volatile Exception? _broken;

    // The index of the first item, which is known when the source exists: a filter may change it. Null for 0.
    private readonly Func<long>? _first;

    internal ResponseStream(
        IStreamFormat format, IStreamOutput output, FlushPolicy policy, StreamSettings settings, FlushTicker ticker, Func<long>? first = null, Action<long>? onSent = null)
    {
        _settings = settings;
        _ticker = ticker;
        _output = output;
        _policy = policy;
        _format = format;
        _first = first;
        _buffer = new ItemBuffer(format, output, settings) { OnSent = onSent };
        _watch = new StreamWatch(this, _buffer, settings);
        _slice = new TimeSlice(settings);
    }

    /// <summary>Whether the stream is in the ticker's list. The ticker's lock guards it.</summary>
    internal bool IsWatched { get; set; }

    /// <summary>Whether items wait for the ticker.</summary>
    internal bool IsWaiting => _buffer.WaitingSince != 0;

    /// <summary>Whether it was aborted because its reader took nothing.</summary>
    internal bool IsStalled => _isStalled;

    /// <summary>Items sent.</summary>
    internal long Sent => _buffer.Sent;

    /// <summary>Bytes of memory that the stream holds for items.</summary>
    internal int Held => _buffer.Capacity;

    /// <summary>Lets the timers start; before the call is run.</summary>
    internal void Open()
    {
        Release();
        _watch.Start();
    }

    public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
    {
        Begin();
        try
        {
            await TakeAsync(source, cancellationToken);
        }
        catch (Exception error)
        {
            _failure = ExceptionDispatchInfo.Capture(error);
            throw;
        }
    }

    public void Pump(BlockingItemSource source, CancellationToken cancellationToken)
    {
        Begin();
        try
        {
            Take(source, cancellationToken);
        }
        catch (Exception error)
        {
            _failure = ExceptionDispatchInfo.Capture(error);
            throw;
        }
    }

    /// <summary>
    /// Whether a call that did not fail has no stream to send: there was no source, or the source failed before the first item
    /// and a filter has chosen the answer to that. Takes the write lock and keeps it.
    /// </summary>
    /// <param name="isAnswered">Whether a filter has chosen an answer.</param>
    internal async ValueTask<bool> IsAbsentAsync(bool isAnswered)
    {
        await CloseAsync();
        return !_buffer.IsCommitted && (!_isPumped || (isAnswered && _failure is not null && _buffer.Count == 0));
    }

    /// <summary>Ends a stream that is complete; throws the failure that ended it early, also if a filter has caught that.</summary>
    internal async ValueTask CompleteAsync()
    {
        _failure?.Throw();
        await CloseAsync();
        ThrowIfBroken();
        _buffer.WriteEnd();
        await _buffer.SendAsync(isLast: true);
    }

    /// <summary>
    /// Ends a stream that failed: with the problem where the format has a form for it, otherwise by an abort after what was written
    /// has been sent. <c>false</c> when nothing was sent yet, and an ordinary response can report the failure.
    /// </summary>
    /// <param name="problem">What failed.</param>
    /// <param name="isContinued">Whether the response continues a stream: then the problem is sent as its end even where nothing was sent yet.</param>
    internal async ValueTask<bool> TryFailAsync(ProblemReport problem, bool isContinued = false)
    {
        await CloseAsync();
        _buffer.DropOpenItem();
        if (!_buffer.IsCommitted && !(isContinued && _format.IsResumable))
        {
            _buffer.Dispose();
            return false;
        }

        var isTold = _buffer.TryWriteFailure(problem);
        if (!await TrySendRestAsync())
        {
            _output.Abort();
        }
        else if (!isTold)
        {
            await DrainAndAbortAsync();
        }

        return true;
    }

    /// <summary>
    /// Ends the response of a stream that a reader can continue elsewhere, and asks the reader to do so. <c>false</c> where the format cannot
    /// express that, or the reader is gone: then it is to be cut.
    /// </summary>
    /// <param name="wait">How long the reader should wait before.</param>
    internal async ValueTask<bool> TryEndForRetryAsync(TimeSpan wait)
    {
        await CloseAsync();
        _buffer.DropOpenItem();
        if (!_format.IsResumable || _broken is not null || _isStalled)
        {
            return false;
        }

        if (!_isPumped)
        {
            Begin();
        }

        _buffer.WriteRetry(wait);
        return await TrySendRestAsync();
    }

    /// <summary>
    /// Ends a stream whose request was cancelled: with the problem as its last item where the format has one and the client still
    /// reads, and always by an abort. <c>false</c> when nothing was sent yet.
    /// </summary>
    internal async ValueTask<bool> TryCutAsync(ProblemReport problem)
    {
        await CloseAsync();
        _buffer.DropOpenItem();
        if (!_buffer.IsCommitted)
        {
            _buffer.Dispose();
            return false;
        }

        _buffer.TryWriteFailure(problem);
        if (await TrySendRestAsync())
        {
            await DrainAndAbortAsync();
        }
        else
        {
            _output.Abort();
        }

        return true;
    }

    /// <summary>Aborts the response without a word: another one continues the stream.</summary>
    internal async ValueTask AbandonAsync()
    {
        await CloseAsync();
        _buffer.Dispose();
        _output.Abort();
    }

    /// <summary>Whether status and headers were sent.</summary>
    internal bool IsCommitted => _buffer.IsCommitted;

    /// <summary>Aborts a response that has begun, from any thread, while the request runs.</summary>
    internal void AbortBegun()
    {
        if (_buffer.IsCommitted)
        {
            _output.Abort();
        }
    }

    /// <summary>Takes the write lock and keeps it: afterwards no timer uses the response.</summary>
    internal async ValueTask CloseAsync()
    {
        if (!_holdsTurn)
        {
            await _turn.AcquireAsync();
            _holdsTurn = true;
        }
    }

    /// <summary>Called after <see cref="CloseAsync"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        await _watch.DisposeAsync();
        _buffer.Dispose();
    }

    /// <summary>Ticker only: sends what has waited long enough.</summary>
    internal void OnTick(long now)
    {
        var since = _buffer.WaitingSince;
        if (since == 0 || now - since < _settings.FlushDelay)
        {
            return;
        }

        if (!_turn.TryTake())
        {
            _isOverdue = true;
        }
        else if (!IsWaiting)
        {
            _turn.Return();
        }
        else
        {
            SendAsTimer();
        }
    }

    /// <summary>Watch only: sends the sign that the stream is alive, unless the producer is writing.</summary>
    internal void Beat()
    {
        // Without a byte to send, a heartbeat would only commit the response.
        if (_buffer.HasHeartbeat && _turn.TryTake())
        {
            _buffer.WriteHeartbeat();
            SendAsTimer();
        }
    }

    /// <summary>Watch only: aborts the response of a reader that takes nothing.</summary>
    internal void Stall()
    {
        _isStalled = true;
        _output.Abort();
    }

    private void Begin()
    {
        _isPumped = true;
        _buffer.First = _first?.Invoke() ?? 0;
    }

    private async ValueTask TakeAsync(ItemSource source, CancellationToken cancellationToken)
    {
        while (true)
        {
            // 1. The producer works. If it takes time, what is written is sent now.
            var moving = source.MoveNextAsync();
            if (!moving.IsCompleted)
            {
                _slice.Restart();
                if (_policy != FlushPolicy.Bulk && IsWaiting && _turn.TryAcquire())
                {
                    await SendConcurrentlyAsync();
                    _turn.Release();
                }
            }

            if (!await moving)
            {
                break;
            }

            // 2. An item has come: take the write lock, from a timer too, and write.
            await AcquireAsync();
            cancellationToken.ThrowIfCancellationRequested();
            _buffer.Append(source);
            var isOver = _slice.IsOver();
            if (isOver && !_settings.IsThreadWanted())
            {
                _slice.Begin();
                isOver = false;
            }

            var isCrowded = isOver && _policy != FlushPolicy.Bulk && _settings.IsCrowded();
            if (IsDue() || isCrowded)
            {
                var sending = SendAsync();
                if (!sending.IsCompleted)
                {
                    _slice.Restart();
                }

                await sending;
            }

            // 3. A producer that never waits goes to the end of the thread pool's queue if other work waits there. Thousands of streams
            // may do so: then none of them holds a buffer.
            if (isCrowded)
            {
                _buffer.GiveBack();
            }

            Release();
            if (isOver)
            {
                await Task.Yield();
                _slice.Begin();
            }
        }

        // A producer that ends without an error when its token fires has not produced all its items.
        cancellationToken.ThrowIfCancellationRequested();
    }

    private void Take(BlockingItemSource source, CancellationToken cancellationToken)
    {
        while (source.MoveNext())
        {
            Wait(AcquireAsync());
            cancellationToken.ThrowIfCancellationRequested();
            _buffer.Append(source);
            if (IsDue())
            {
                Wait(SendAsync());
            }

            Release();
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    private static void Wait(ValueTask task)
    {
        if (task.IsCompleted)
        {
            task.GetAwaiter().GetResult();
        }
        else
        {
            // A thread of the lane may block.
            task.AsTask().GetAwaiter().GetResult();
        }
    }

    // After an item was appended.
    private bool IsDue()
    {
        if (_policy == FlushPolicy.Item || _buffer.IsFull)
        {
            return true;
        }

        if (_policy == FlushPolicy.Bulk)
        {
            return false;
        }

        if (_buffer.HasPiece)
        {
            return true;
        }

        if (IsWaiting)
        {
            return _isOverdue;
        }

        // The first item since the last flush: the clock is read only here.
        var now = _settings.Now();
        if (!_buffer.IsCommitted || now - _buffer.LastSent >= _settings.FlushDelay)
        {
            return true;
        }

        _buffer.StartWaiting(now);
        _ticker.Watch(this);
        return false;
    }

    private ValueTask SendAsync()
    {
        _isOverdue = false;
        return _buffer.SendAsync();
    }

    // The producer is running: a failure is stored and thrown later, because throwing here would not stop the producer.
    private async ValueTask SendConcurrentlyAsync()
    {
        try
        {
            await SendAsync();
        }
        catch (Exception error)
        {
            _broken = error;
        }
    }

    private void SendAsTimer()
    {
        var sending = SendConcurrentlyAsync();
        if (sending.IsCompletedSuccessfully)
        {
            _turn.Return();
        }
        else
        {
            // No code has to hold this task: it ends by releasing the write lock, and the code that closes the stream waits for that.
            _ = ReturnAfterAsync(sending);
        }
    }

    private async Task ReturnAfterAsync(ValueTask sending)
    {
        await sending;
        _turn.Return();
    }

    private ValueTask AcquireAsync()
    {
        if (!_turn.TryAcquire())
        {
            return AcquireSlowlyAsync();
        }

        _holdsTurn = true;
        ThrowIfBroken();
        return default;
    }

    private async ValueTask AcquireSlowlyAsync()
    {
        await _turn.AcquireAsync();
        _holdsTurn = true;
        ThrowIfBroken();
    }

    private void Release()
    {
        _holdsTurn = false;
        _turn.Release();
    }

    private void ThrowIfBroken()
    {
        if (_broken is { } broken)
        {
            throw broken is ClientDisconnectedException ? new ClientDisconnectedException() : new IOException("The response could not be written.", broken);
        }
    }

    private async Task DrainAndAbortAsync()
    {
        await Task.Delay(DrainTime, _settings.Time);
        _output.Abort();
    }

    // False when nothing reaches the client any more.
    private async ValueTask<bool> TrySendRestAsync()
    {
        if (_broken is not null || _isStalled)
        {
            return false;
        }

        try
        {
            await _buffer.SendAsync(isLast: true);
        }
        catch (ClientDisconnectedException)
        {
            return false;
        }

        return true;
    }
}
