using System.Runtime.ExceptionServices;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.AspNetCore.Resuming;

/// <summary>
/// One resumable stream without a source of its own: it takes the items of one call and keeps them for the reader that is attached to it, or that will
/// be. Items are dropped only while a reader is attached, and only those sent to it; when there is no place for another item the producer waits. Its
/// lock guards the ring and what both sides wait for; under it only that of the callers with more than their share is taken.
/// </summary>
internal sealed class KeptStream : IStreamPump, IDisposable
{
    // An item buffer of this size is kept between items.
    private const int LargestIdleBuffer = 4 * 1024;

    private readonly StreamSettings _settings;
    private readonly CancellationTokenSource _cancelled = new();
    private readonly Lock _lock = new();

    // Guarded by the lock.
    private readonly ItemRing _ring;
    private KeptReader? _reader;
    private TaskCompletionSource? _item;
    private TaskCompletionSource? _space;
    private bool _isPumped;
    private bool _isOver;
    private ExceptionDispatchInfo? _failure;
    private int _isFailureReported;

    internal KeptStream(StreamId id, StreamKey key, StreamCaller caller, StreamCall call, int limit, StreamSettings settings)
    {
        Id = id;
        Caller = caller;
        Key = key;
        Call = call;
        _settings = settings;
        _ring = new ItemRing(limit, caller);
    }

    internal StreamId Id { get; }

    /// <summary>What a request that continues it must match.</summary>
    internal StreamKey Key { get; }

    /// <summary>The caller whose share its memory counts to.</summary>
    internal StreamCaller Caller { get; }

    /// <summary>The call that produces the items.</summary>
    internal StreamCall Call { get; }

    /// <summary>The token of the call.</summary>
    internal CancellationToken Token => _cancelled.Token;

    /// <summary>Ends the time in which a reader can come back. Guarded by the lock of <see cref="KeptStreams"/>.</summary>
    internal ITimer? Window { get; set; }

    /// <summary>Its places among the streams without a reader, of all callers, of its own, and of its pool; <c>null</c> while it has one. Guarded by the lock of <see cref="KeptStreams"/>.</summary>
    internal (LinkedListNode<KeptStream> OfAll, LinkedListNode<KeptStream> OfCaller, LinkedListNode<KeptStream>? OfPool)? Left { get; set; }

    /// <summary>The pool that runs its call; <c>null</c> for none.</summary>
    internal string? Pool => Call.Operation is { Placement: Placement.Isolated } operation ? operation.Pool : null;

    /// <summary>Whether a reader is attached.</summary>
    internal bool IsAttached
    {
        get
        {
            lock (_lock)
            {
                return _reader is not null;
            }
        }
    }

    /// <summary>Whether this reader is attached.</summary>
    internal bool HasReader(KeptReader reader)
    {
        lock (_lock)
        {
            return _reader == reader;
        }
    }

    /// <summary>Whether its call has completed.</summary>
    internal bool IsOver
    {
        get
        {
            lock (_lock)
            {
                return _isOver;
            }
        }
    }

    /// <summary>Whether the call has completed without a stream: a filter skipped the operation, or has chosen the answer to its failure.</summary>
    internal bool IsAbsent { get; private set; }

    /// <summary>Attaches a reader from an index on, in the place of an earlier one, which is displaced.</summary>
    /// <param name="index">The index of its first item. Those before it are dropped: it has received them.</param>
    /// <param name="reader">The reader.</param>
    /// <returns>Whether the items from this index on exist or will: <see cref="Attachment.Attached"/>.</returns>
    internal Attachment TryAttach(long index, out KeptReader? reader)
    {
        KeptReader? earlier;
        lock (_lock)
        {
            reader = null;
            if (index < _ring.First)
            {
                return Attachment.Gone;
            }

            if (index > _ring.Next)
            {
                return Attachment.NeverSent;
            }

            earlier = _reader;
            _ring.Restart(index);
            _reader = reader = new KeptReader(this, index) { Place = _ring.Seek(index) };
        }

        Wake(ref _space);
        earlier?.Displace();
        return Attachment.Attached;
    }

    /// <summary>Detaches a reader: the items are kept for the next one. <c>false</c> where another one has taken its place.</summary>
    internal bool TryDetach(KeptReader reader)
    {
        lock (_lock)
        {
            if (_reader != reader)
            {
                return false;
            }

            _reader = null;
            return true;
        }
    }

    /// <summary>Cancels the call, on the thread pool, and drops what is kept. Called without a reader, or when the host has stopped.</summary>
    public void Dispose()
    {
        // The token source is not disposed: the call may still register with it, and it has no timer.
        _ = _cancelled.CancelAsync();
        lock (_lock)
        {
            _ring.Clear();
        }
    }

    /// <summary>Whether the failure of the call was not reported yet; afterwards it was.</summary>
    internal bool TryReportFailure() => Interlocked.Exchange(ref _isFailureReported, 1) == 0;

    /// <summary>Runs the call to its completion.</summary>
    /// <param name="pipeline">Runs calls.</param>
    /// <param name="request">How the call is run.</param>
    /// <returns>What it failed with; <c>null</c> for nothing.</returns>
    internal async Task<Exception?> RunAsync(CallPipeline pipeline, CallRequest request)
    {
        Exception? failure = null;
        try
        {
            await pipeline.RunStreamAsync(Call, this, request);
        }
        catch (Exception error)
        {
            failure = error;
        }

        lock (_lock)
        {
            // A filter cannot turn the failure of a stream into its end: it may only choose the answer where there is no item yet.
            IsAbsent = failure is null && (!_isPumped || (_failure is not null && _ring.Next == 0 && Call.Context?.StatusCode is not null));
            _failure = failure is not null ? ExceptionDispatchInfo.Capture(failure) : IsAbsent ? null : _failure;
            _isOver = true;
        }

        Wake(ref _item);
        return _failure?.SourceException;
    }

    public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
    {
        Begin();
        var slice = new TimeSlice(_settings);
        using var item = new PayloadWriter { Serializer = _settings.Serializer };
        try
        {
            while (true)
            {
                var moving = source.MoveNextAsync();
                if (!moving.IsCompleted)
                {
                    slice.Restart();
                }

                if (!await moving)
                {
                    break;
                }

                cancellationToken.ThrowIfCancellationRequested();
                ItemEncoding.Write(source, item);
                while (TryAppend(item) is { } space)
                {
                    slice.Restart();
                    await space.WaitAsync(cancellationToken);
                }

                if (slice.IsOver())
                {
                    if (_settings.IsThreadWanted())
                    {
                        await Task.Yield();
                    }

                    slice.Begin();
                }
            }

            cancellationToken.ThrowIfCancellationRequested();
        }
        catch (Exception error)
        {
            Fail(error);
            throw;
        }
    }

    public void Pump(BlockingItemSource source, CancellationToken cancellationToken)
    {
        Begin();
        using var item = new PayloadWriter { Serializer = _settings.Serializer };
        try
        {
            while (source.MoveNext())
            {
                cancellationToken.ThrowIfCancellationRequested();
                ItemEncoding.Write(source, item);
                while (TryAppend(item) is { } space)
                {
                    // A thread of the lane may block.
                    space.Wait(cancellationToken);
                }
            }

            cancellationToken.ThrowIfCancellationRequested();
        }
        catch (Exception error)
        {
            Fail(error);
            throw;
        }
    }

    /// <summary>Reader only: whether there is another item; with <paramref name="wait"/> that is not known before it completes.</summary>
    internal bool TryMoveNext(KeptReader reader, out Task? wait)
    {
        lock (_lock)
        {
            wait = null;
            RequireAttached(reader);
            var place = reader.Place;
            var hasItem = place.HasItem();
            reader.Place = place;
            if (hasItem)
            {
                return true;
            }

            if (!_isOver)
            {
                wait = (_item ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
                return false;
            }

            _failure?.Throw();
            return false;
        }
    }

    /// <summary>Reader only: writes the next item.</summary>
    internal void WriteNext(KeptReader reader, PayloadWriter output)
    {
        lock (_lock)
        {
            RequireAttached(reader);
            var place = reader.Place;
            output.Write(place.Take());
            reader.Place = place;
        }
    }

    /// <summary>Reader only: the items before an index were sent.</summary>
    internal void OnSent(KeptReader reader, long index)
    {
        lock (_lock)
        {
            if (_reader != reader || !_ring.MarkSent(index))
            {
                return;
            }
        }

        Wake(ref _space);
    }

    private void Begin()
    {
        lock (_lock)
        {
            _isPumped = true;
        }
    }

    private void Fail(Exception error)
    {
        lock (_lock)
        {
            _failure = ExceptionDispatchInfo.Capture(error);
        }
    }

    // What completes when there may be place; null when the item was added.
    private Task? TryAppend(PayloadWriter item)
    {
        lock (_lock)
        {
            _cancelled.Token.ThrowIfCancellationRequested();

            // What was sent to a reader that went may not have arrived: without a reader nothing is dropped.
            if (!_ring.TryAppend(item.WrittenSpan, isRead: _reader is not null))
            {
                return (_space ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
            }
        }

        Wake(ref _item);
        if (item.Capacity > LargestIdleBuffer)
        {
            item.Dispose();
        }
        else
        {
            item.Clear();
        }

        return null;
    }

    private void RequireAttached(KeptReader reader)
    {
        if (_reader != reader)
        {
            throw new OperationCanceledException("A later reader continues the stream.");
        }
    }

    // Outside the lock.
    private void Wake(ref TaskCompletionSource? waiting)
    {
        TaskCompletionSource? woken;
        lock (_lock)
        {
            woken = waiting;
            waiting = null;
        }

        woken?.TrySetResult();
    }
}
