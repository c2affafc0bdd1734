using System.Runtime.ExceptionServices;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Takes the items of one stream and sends them. One flow enumerates and encodes. It starts sends, and while it waits for the next item
/// the timers may: both by one method, under one lock, and only when the send before has ended.
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
    private readonly ItemBuffer _buffer;
    private readonly StreamWatch _watch;

    // The index of the first item, which is known when the source exists: a filter may change it. Null for 0.
    private readonly Func<long>? _first;

    // Held while one item is encoded or one send starts, never across an await. A timer does not wait for it.
    private SpinLock _lock = new(enableThreadOwnerTracking: false);

    // The last send that was started. Until it completes, the buffer and the response are its own; after a failure no other is started.
    private Task _sending = Task.CompletedTask;

    // Whether the timers may not start a send any more.
    private bool _isClosed;

    // Set by a timer that did not get the lock; the producer sends after its current item.
    private volatile bool _isOverdue;

    private volatile bool _isStalled;

    // Whether there was a source at all.
    private bool _isPumped;

    // The failure that ended the loop over the source before the end of the source.
    private ExceptionDispatchInfo? _failure;

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
    }

    /// <summary>Whether the stream is in the ticker's list. The ticker's lock guards it.</summary>
    internal bool IsWatched { get; set; }

    /// <summary>Whether items wait for the ticker.</summary>
    internal bool IsWaiting => _buffer.WaitingSince != 0;

    /// <summary>Whether it was aborted because its reader took nothing.</summary>
    internal bool IsStalled => _isStalled;

    /// <summary>Whether status and headers were sent.</summary>
    internal bool IsCommitted => _buffer.IsCommitted;

    /// <summary>Items sent.</summary>
    internal long Sent => _buffer.Sent;

    /// <summary>Bytes of memory that the stream holds for items.</summary>
    internal int Held => _buffer.Capacity;

    /// <summary>Lets the timers start; before the call is run.</summary>
    internal void Open() => _watch.Start();

    public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
    {
        Begin();
        try
        {
            await TakeAsync(source, _format is RawStreamFormat ? static (source, output) => source.WriteRawCurrent(output) : ItemEncoding.Write, cancellationToken);
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
            Take(source, _format is RawStreamFormat ? static (source, output) => source.WriteRawCurrent(output) : ItemEncoding.Write, cancellationToken);
        }
        catch (Exception error)
        {
            _failure = ExceptionDispatchInfo.Capture(error);
            throw;
        }
    }

    /// <summary>
    /// Whether a call that did not fail has no stream to send: there was no source, or the source failed before the first item
    /// and a filter has chosen the answer to that. Closes the stream.
    /// </summary>
    /// <param name="isAnswered">Whether a filter has chosen an answer.</param>
    internal async ValueTask<bool> IsAbsentAsync(bool isAnswered)
    {
        await CloseAsync();
        return !IsCommitted && (!_isPumped || (isAnswered && _failure is not null && _buffer.Count == 0));
    }

    /// <summary>Ends a stream that is complete; throws the failure that ended it early, also if a filter has caught that.</summary>
    internal async ValueTask CompleteAsync()
    {
        _failure?.Throw();
        await CloseAsync();
        await _sending;
        _buffer.WriteEnd();
        await Send(isLast: true);
    }

    /// <summary>
    /// Ends a stream that failed: with the problem where the format has a form for it, otherwise by an abort after what was written
    /// has been sent. <c>false</c> when nothing was sent yet, and an ordinary response can report the failure.
    /// </summary>
    /// <param name="problem">What failed.</param>
    /// <param name="isContinued">Whether the response continues a stream: then the problem is sent as its end even where nothing was sent yet.</param>
    internal ValueTask<bool> TryFailAsync(ProblemReport problem, bool isContinued = false) =>
        TryEndEarlyAsync(problem, isAborted: false, mayBegin: isContinued && _format.IsResumable);

    /// <summary>
    /// Ends a stream whose request was cancelled: with the problem as its last item where the format has one and the client still
    /// reads, and always by an abort. <c>false</c> when nothing was sent yet.
    /// </summary>
    internal ValueTask<bool> TryCutAsync(ProblemReport problem) => TryEndEarlyAsync(problem, isAborted: true, mayBegin: false);

    /// <summary>
    /// Ends the response of a stream that a reader can continue elsewhere, and asks the reader to do so. <c>false</c> where the format cannot
    /// express that, or the reader is gone: then it is to be cut.
    /// </summary>
    /// <param name="wait">How long the reader should wait before.</param>
    internal async ValueTask<bool> TryEndForRetryAsync(TimeSpan wait)
    {
        await CloseAsync();
        if (!_format.IsResumable)
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

    /// <summary>Aborts the response without a word: another one continues the stream.</summary>
    internal async ValueTask AbandonAsync()
    {
        await CloseAsync();
        _buffer.Dispose();
        _output.Abort();
    }

    /// <summary>Aborts a response that has begun, from any thread, while the request runs.</summary>
    internal void AbortBegun()
    {
        if (IsCommitted)
        {
            _output.Abort();
        }
    }

    /// <summary>Called when no producer runs: completes when no timer uses the response any more.</summary>
    internal async ValueTask CloseAsync()
    {
        var isTaken = false;
        _lock.Enter(ref isTaken);
        _isClosed = true;
        Exit(isTaken);
        await _sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
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
        if (since != 0 && now - since >= _settings.FlushDelay && !TrySend())
        {
            _isOverdue = true;
        }
    }

    /// <summary>Watch only: sends the sign that the stream is alive, unless the producer is writing.</summary>
    internal void Beat()
    {
        // Without a byte to send, a heartbeat would only commit the response.
        if (_format.HasHeartbeat)
        {
            TrySend(isHeartbeat: true);
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

    private async ValueTask TakeAsync(ItemSource source, Action<ItemSource, PayloadWriter> write, CancellationToken cancellationToken)
    {
        var slice = new TimeSlice(_settings);
        while (true)
        {
            // 1. The producer works. If it takes time, what is written is sent now.
            var moving = source.MoveNextAsync();
            if (!moving.IsCompleted)
            {
                slice.Restart();
                TrySend();
            }

            if (!await moving)
            {
                break;
            }

            // 2. An item has come: it is written when no send runs any more. If that starts a send, the producer waits for it.
            cancellationToken.ThrowIfCancellationRequested();
            while (!TryAppend(source, write))
            {
                await _sending;
            }

            if (!_sending.IsCompletedSuccessfully)
            {
                slice.Restart();
                await _sending;
            }

            // 3. A producer that never waits goes to the end of the thread pool's queue if other work waits there. Thousands of streams
            // may do so: then none of them holds a buffer.
            if (slice.IsOver())
            {
                if (_settings.IsThreadWanted())
                {
                    if (_settings.IsCrowded())
                    {
                        TrySend();
                        await _sending;
                    }

                    await Task.Yield();
                }

                slice.Begin();
            }
        }

        // A producer that ends without an error when its token fires has not produced all its items.
        cancellationToken.ThrowIfCancellationRequested();
    }

    // On a thread of the lane, which may block.
    private void Take(BlockingItemSource source, Action<BlockingItemSource, PayloadWriter> write, CancellationToken cancellationToken)
    {
        while (source.MoveNext())
        {
            cancellationToken.ThrowIfCancellationRequested();
            while (!TryAppend(source, write))
            {
                _sending.GetAwaiter().GetResult();
            }

            _sending.GetAwaiter().GetResult();
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    // Writes the current item, and starts to send it if that is due. False while a send runs, or if it has failed: it is to be awaited.
    private bool TryAppend<TSource>(TSource source, Action<TSource, PayloadWriter> write)
    {
        var isTaken = false;
        try
        {
            _lock.Enter(ref isTaken);
            if (!_sending.IsCompletedSuccessfully)
            {
                return false;
            }

            _buffer.Append(source, write);
            if (IsDue())
            {
                _ = Send();
            }

            return true;
        }
        finally
        {
            Exit(isTaken);
        }
    }

    // Starts to send what waits; code that needs the result awaits it. False while another thread has the lock.
    private bool TrySend(bool isHeartbeat = false)
    {
        var isTaken = false;
        try
        {
            _lock.TryEnter(ref isTaken);
            if (isTaken && !_isClosed && _sending.IsCompletedSuccessfully && (isHeartbeat || IsWaiting))
            {
                if (isHeartbeat)
                {
                    _buffer.WriteHeartbeat();
                }

                _ = Send();
            }

            return isTaken;
        }
        finally
        {
            Exit(isTaken);
        }
    }

    private void Exit(bool isTaken)
    {
        if (isTaken)
        {
            _lock.Exit(useMemoryBarrier: false);
        }
    }

    // The one place where a send starts: under the lock, or after the stream was closed.
    private Task Send(bool isLast = false)
    {
        _isOverdue = false;
        return _sending = _buffer.SendAsync(isLast);
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
        if (!IsCommitted || now - _buffer.LastSent >= _settings.FlushDelay)
        {
            return true;
        }

        _buffer.StartWaiting(now);
        _ticker.Watch(this);
        return false;
    }

    private async ValueTask<bool> TryEndEarlyAsync(ProblemReport problem, bool isAborted, bool mayBegin)
    {
        await CloseAsync();
        if (!IsCommitted && !mayBegin)
        {
            _buffer.Dispose();
            return false;
        }

        isAborted |= !_buffer.TryWriteFailure(problem);
        if (!await TrySendRestAsync())
        {
            _output.Abort();
        }
        else if (isAborted)
        {
            await Task.Delay(DrainTime, _settings.Time);
            _output.Abort();
        }

        return true;
    }

    // False when nothing reaches the client any more.
    private async ValueTask<bool> TrySendRestAsync()
    {
        if (!_sending.IsCompletedSuccessfully || _isStalled)
        {
            return false;
        }

        try
        {
            await Send(isLast: true);
            return true;
        }
        catch (ClientDisconnectedException)
        {
            return false;
        }
    }
}
