using System.Runtime.ExceptionServices;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Takes the items of one stream and sends them. One flow enumerates and writes; while it waits for the next item it
/// lets go of the response, and the timers may send what is old or say that the stream is alive.
/// </summary>
internal sealed class ResponseStream : IStreamPump, IAsyncDisposable
{
    // An abort drops what the transport has not taken yet; this is how long it gets for what was flushed.
    private static readonly TimeSpan DrainTime = TimeSpan.FromMilliseconds(50);

    private readonly StreamSettings _settings;
    private readonly FlushTicker _ticker;
    private readonly IStreamOutput _output;
    private readonly FlushPolicy _policy;
    private readonly ResponseWriteLock _turn = new();
    private readonly ItemBuffer _buffer;
    private readonly StreamWatch _watch;

    // Producer only, where it is asynchronous: a blocking one has a thread of its own.
    private TimeSlice _slice;

    // Producer only: whether it has the turn.
    private bool _holdsTurn = true;

    // Set by a timer that could not take the turn in time; the producer sends after its current item.
    private volatile bool _isOverdue;

    private volatile bool _isStalled;

    // Whether there was a source at all.
    private bool _isPumped;

    // What ended a pump before its source was at its end.
    private ExceptionDispatchInfo? _failure;

    // What sending threw where nobody listened; the producer throws it when it comes back.
    private volatile Exception? _broken;

    internal ResponseStream(IStreamFormat format, IStreamOutput output, FlushPolicy policy, StreamSettings settings, FlushTicker ticker)
    {
        _settings = settings;
        _ticker = ticker;
        _output = output;
        _policy = policy;
        _buffer = new ItemBuffer(format, output, settings);
        _watch = new StreamWatch(this, _buffer, settings);
        _slice = new TimeSlice(settings);
    }

    /// <summary>Whether the ticker has it in its list. The ticker's lock guards it.</summary>
    internal bool IsWatched { get; set; }

    /// <summary>Whether items wait for the ticker.</summary>
    internal bool IsWaiting => _buffer.WaitingSince != 0;

    /// <summary>Whether it was aborted because its reader took nothing.</summary>
    internal bool IsStalled => _isStalled;

    /// <summary>Items sent.</summary>
    internal long Sent => _buffer.Sent;

    /// <summary>Bytes of memory that it holds for items.</summary>
    internal int Held => _buffer.Capacity;

    /// <summary>Lets the timers begin; before the call is run.</summary>
    internal void Open()
    {
        Release();
        _watch.Start();
    }

    public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
    {
        _isPumped = true;
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
        _isPumped = true;
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
    /// Whether a call that did not fail has no stream to send: it never had a source, or its source failed before the first item
    /// and a filter has chosen the answer to that. Takes the turn for good.
    /// </summary>
    /// <param name="isAnswered">Whether a filter has chosen an answer.</param>
    internal async ValueTask<bool> IsAbsentAsync(bool isAnswered)
    {
        await CloseAsync();
        return !_buffer.IsCommitted && (!_isPumped || (isAnswered && _failure is not null && _buffer.Count == 0));
    }

    /// <summary>Ends a stream whose items are all there; throws what ended it early, also if a filter has caught that.</summary>
    internal async ValueTask CompleteAsync()
    {
        _failure?.Throw();
        await CloseAsync();
        ThrowIfBroken();
        _buffer.WriteEnd();
        await _buffer.SendAsync(isLast: true);
    }

    /// <summary>
    /// Ends a stream that failed: in words where the format has them, otherwise by breaking off after what was written
    /// has been sent. <c>false</c> when nothing has left yet, and an ordinary response can say it.
    /// </summary>
    internal async ValueTask<bool> TryFailAsync(ProblemReport problem)
    {
        await CloseAsync();
        _buffer.DropOpenItem();
        if (!_buffer.IsCommitted)
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
    /// Ends a stream whose request was cancelled: with the problem as its last item where the format has one and the client still
    /// reads, and always by breaking off. <c>false</c> when nothing has left yet.
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

    /// <summary>Breaks off a response that has begun, from any thread, while the request runs.</summary>
    internal void AbortBegun()
    {
        if (_buffer.IsCommitted)
        {
            _output.Abort();
        }
    }

    /// <summary>Takes the turn for good: afterwards no timer touches the response.</summary>
    internal async ValueTask CloseAsync()
    {
        if (!_holdsTurn)
        {
            await _turn.AcquireAsync();
            _holdsTurn = true;
        }
    }

    /// <summary>After <see cref="CloseAsync"/>.</summary>
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

    /// <summary>Watch only: says that the stream is alive, unless the producer is just writing.</summary>
    internal void Beat()
    {
        if (_turn.TryTake())
        {
            _buffer.WriteHeartbeat();
            SendAsTimer();
        }
    }

    /// <summary>Watch only: gives up on a reader that takes nothing.</summary>
    internal void Stall()
    {
        _isStalled = true;
        _output.Abort();
    }

    private async ValueTask TakeAsync(ItemSource source, CancellationToken cancellationToken)
    {
        while (true)
        {
            // 1. The producer works. If it takes its time, what is written leaves now.
            var moving = source.MoveNextAsync();
            if (!moving.IsCompleted)
            {
                _slice.Restart();
                if (_policy != FlushPolicy.Bulk && IsWaiting && _turn.TryAcquire())
                {
                    await SendMeanwhileAsync();
                    _turn.Release();
                }
            }

            if (!await moving)
            {
                break;
            }

            // 2. An item is there: take the response back, from a timer too, and write.
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

            // 3. A producer that never waits goes to the end of the thread pool's queue where other work waits there. Thousands of streams
            // may: then none of them holds a buffer.
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

        // A producer that ends quietly when it is told to stop has not given all its items.
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

        // The first item since the last flush: only here is the clock asked.
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

    // The producer is running: whatever goes wrong here must not leave it behind.
    private async ValueTask SendMeanwhileAsync()
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
        var sending = SendMeanwhileAsync();
        if (sending.IsCompletedSuccessfully)
        {
            _turn.Return();
        }
        else
        {
            // Nobody needs to hold this task: it ends by giving the turn back, and whoever closes the stream waits for that.
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
