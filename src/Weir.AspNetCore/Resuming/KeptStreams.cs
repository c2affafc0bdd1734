using Microsoft.Extensions.Options;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.AspNetCore.Resuming;

/// <summary>
/// The resumable streams of this process whose operations have no source to continue from: who may continue which, and when they end. One per
/// application; used concurrently. Its lock is taken before that of a stream, never after it.
/// </summary>
internal sealed class KeptStreams : IDisposable
{
    // What a stream costs besides its items: its call, scope, timer, tokens and tasks.
    internal const int StreamCost = 6 * 1024;

    // The part of the memory that one caller may have while others want it.
    private const int CallerShare = 4;

    // More callers than that cannot have more than their share at once; the others are forgotten.
    private const int MostLarge = 2 * CallerShare;

    private static readonly TimeSpan BetweenReports = TimeSpan.FromSeconds(10);

    // How many ended streams are remembered, to answer 410 instead of 404.
    private const int MostRemembered = 10_000;

    private readonly WeirServerOptions _options;
    private readonly TimeProvider _time;
    private readonly ResumeMemory _memory;
    private readonly CancellationTokenRegistration _stopping;
    private readonly Lock _lock = new();

    // Guarded by the lock.
    private readonly Dictionary<StreamId, KeptStream> _streams = [];
    private readonly Dictionary<StreamId, StreamKey> _ended = [];
    private readonly Queue<StreamId> _endedOrder = [];
    private readonly HashSet<Task> _running = [];
    private readonly Dictionary<string, StreamCaller> _callers = [];
    private readonly LeftStreams _left = new();
    private readonly LeftInPools _leftInPools = new();
    private readonly Func<IReadOnlyList<PoolSnapshot>> _pools;
    private ITimer? _looking;
    private bool _isStopping;
    private long? _reportedAt;

    // A leaf: taken within the lock of a stream.
    private readonly Lock _largeLock = new();

    // Callers that had more than their share when they last took memory. Guarded by its own lock.
    private readonly List<StreamCaller> _large = [];

    /// <param name="options">Their limits.</param>
    /// <param name="time">The clock.</param>
    /// <param name="shutdown">Notifies of the begin of a shutdown.</param>
    /// <param name="pools">Returns the state of all pools. Called without a lock.</param>
    public KeptStreams(IOptions<WeirServerOptions> options, TimeProvider time, ShutdownCut shutdown, Func<IReadOnlyList<PoolSnapshot>> pools)
    {
        _pools = pools;
        _options = options.Value;
        _time = time;
        _memory = new ResumeMemory(_options.ResumeMemoryLimit);
        _stopping = shutdown.Begun.UnsafeRegister(static state => ((KeptStreams)state!).BeginStop(), this);
    }

    /// <summary>How many streams are kept.</summary>
    internal int Count
    {
        get
        {
            lock (_lock)
            {
                return _streams.Count;
            }
        }
    }

    /// <summary>The bytes that are kept.</summary>
    internal long Bytes => _memory.Used;

    /// <summary>
    /// Begins a stream and runs its call in the background. The caller reads it from its first item on, and releases it. Where the memory for all streams is used
    /// up, those without a reader give way, each in constant time.
    /// </summary>
    /// <param name="caller">What the request's caller is counted as.</param>
    /// <param name="call">Its arguments are bound.</param>
    /// <param name="key">What a request that continues it must match.</param>
    /// <param name="settings">Has the serializer of its items.</param>
    /// <param name="run">Runs the call to its completion; does not throw.</param>
    /// <returns><c>null</c> where streams with a reader use up the memory: nothing was begun.</returns>
    internal (KeptStream Stream, KeptReader Reader)? TryBegin(string caller, StreamCall call, StreamKey key, StreamSettings settings, Func<KeptStream, Task> run)
    {
        MakePlace();
        KeptStream stream;
        KeptReader? reader;
        lock (_lock)
        {
            if (!_callers.TryGetValue(caller, out var counted))
            {
                counted = new StreamCaller(caller, (_options.ResumeMemoryLimit ?? long.MaxValue) / CallerShare, _memory, NoteLarge);
            }

            if (!counted.TryReserve(StreamCost))
            {
                return null;
            }

            _callers[caller] = counted;
            counted.Streams++;
            stream = new KeptStream(StreamId.Create(), key, counted, call, _options.ResumeBufferSize, settings);
            stream.TryAttach(0, out reader);
            _streams.Add(stream.Id, stream);
        }

        // A producer that never waits would otherwise fill the buffer before its reader is there.
        Track(Task.Run(() => run(stream)), stream);
        return (stream, reader!);
    }

    /// <summary>Whether it was not reported in the last seconds that the memory is used up; then it counts as reported.</summary>
    internal bool TryReportFull()
    {
        lock (_lock)
        {
            if (_reportedAt is { } at && _time.GetElapsedTime(at) < BetweenReports)
            {
                return false;
            }

            _reportedAt = _time.GetTimestamp();
            return true;
        }
    }

    /// <summary>Attaches a reader to a stream.</summary>
    /// <param name="id">As the reader sent it.</param>
    /// <param name="key">Of its request.</param>
    /// <param name="index">The index of the item that it continues with.</param>
    /// <param name="stream">The stream, if the reader is attached.</param>
    /// <param name="reader">The reader, if it is attached.</param>
    internal Attachment TryAttach(StreamId id, StreamKey key, long index, out KeptStream? stream, out KeptReader? reader)
    {
        lock (_lock)
        {
            reader = null;
            if (!_streams.TryGetValue(id, out stream))
            {
                return _ended.TryGetValue(id, out var ended) && ended == key ? Attachment.Gone : Attachment.Unknown;
            }

            var attachment = stream.Key == key ? stream.TryAttach(index, out reader) : Attachment.Unknown;
            if (attachment == Attachment.Attached)
            {
                stream.Window?.Dispose();
                stream.Window = null;
                Unlist(stream);
            }

            return attachment;
        }
    }

    /// <summary>The response of a reader has ended. Called once for each reader.</summary>
    /// <param name="stream">Its stream.</param>
    /// <param name="reader">The reader.</param>
    /// <param name="isKnown">Whether the client knows the stream's id, so that it may continue.</param>
    internal void Release(KeptStream stream, KeptReader reader, bool isKnown)
    {
        lock (_lock)
        {
            if (!stream.TryDetach(reader))
            {
                return;
            }

            if (isKnown && !_isStopping && _options.ResumeWindow > TimeSpan.Zero)
            {
                stream.Window = _time.CreateTimer(state => End((KeptStream)state!), stream, _options.ResumeWindow, Timeout.InfiniteTimeSpan);
                List(stream);
            }
            else
            {
                Remove(stream, isRemembered: isKnown);
                isKnown = false;
            }
        }

        if (!isKnown)
        {
            stream.Dispose();
        }
        else if (stream.Pool is { } pool)
        {
            KeepToShare(pool);
        }
    }

    // The pool's lock is not taken under this one.
    private void KeepToShare(string pool)
    {
        if (_pools().FirstOrDefault(one => string.Equals(one.Name, pool, StringComparison.OrdinalIgnoreCase)) is not { } state)
        {
            return;
        }

        while (true)
        {
            KeptStream? stream;
            lock (_lock)
            {
                stream = _leftInPools.BeyondShare(state);
                if (stream is null)
                {
                    return;
                }

                Remove(stream, isRemembered: true);
            }

            stream.Dispose();
        }
    }

    // A timer callback must not throw.
    private void LookIntoPools()
    {
        try
        {
            var pools = _pools();
            List<KeptStream> ended;
            lock (_lock)
            {
                ended = _leftInPools.Look(pools);
                foreach (var stream in ended)
                {
                    Remove(stream, isRemembered: true);
                }

                if (_leftInPools.IsEmpty)
                {
                    _looking?.Dispose();
                    _looking = null;
                }
            }

            ended.ForEach(static one => one.Dispose());
        }
        catch (Exception)
        {
            // The next look, or the window of a stream, ends it.
        }
    }

    /// <summary>Cancels all calls, and completes when they have ended.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal async Task StopAsync(CancellationToken cancellationToken)
    {
        Task[] running;
        KeptStream[] streams;
        lock (_lock)
        {
            _isStopping = true;
            running = [.. _running];
            streams = [.. _streams.Values];
        }

        foreach (var stream in streams)
        {
            stream.Dispose();
        }

        try
        {
            await Task.WhenAll(running).WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            // The host's time is up. The calls have been cancelled.
        }
    }

    public void Dispose()
    {
        _stopping.Dispose();
        lock (_lock)
        {
            _looking?.Dispose();
            foreach (var stream in _streams.Values)
            {
                stream.Window?.Dispose();
            }
        }
    }

    // No reader can come back to a host that accepts no connection any more. A callback must not throw.
    private void BeginStop()
    {
        try
        {
            List<KeptStream> left;
            lock (_lock)
            {
                _isStopping = true;
                left = [.. _streams.Values.Where(static one => !one.IsAttached)];
                foreach (var stream in left)
                {
                    Remove(stream, isRemembered: true);
                }
            }

            left.ForEach(static one => one.Dispose());
        }
        catch (Exception)
        {
            // When the host has stopped the rest is cancelled.
        }
    }

    // A timer callback must not throw.
    private void End(KeptStream stream)
    {
        try
        {
            lock (_lock)
            {
                if (stream.Window is null || stream.IsAttached)
                {
                    return;
                }

                Remove(stream, isRemembered: true);
            }

            stream.Dispose();
        }
        catch (Exception)
        {
            // The stream is not found any more, or the next request for its memory ends it.
        }
    }

    // A new stream has a reader. Each that gives way was kept once, so that this costs no more than to begin them did.
    private void MakePlace()
    {
        while (!_memory.Has(_options.ResumeBufferSize))
        {
            KeptStream stream;
            lock (_lock)
            {
                if ((FirstOfLarge() ?? _left.First) is not { } first)
                {
                    return;
                }

                stream = first;
                Remove(stream, isRemembered: true);
            }

            stream.Dispose();
        }
    }

    // The stream that gives way first of a caller with more than its share.
    private KeptStream? FirstOfLarge()
    {
        lock (_largeLock)
        {
            _large.RemoveAll(static one => !one.IsLarge);
            foreach (var caller in _large)
            {
                if (caller.Left.First is { } first)
                {
                    return first;
                }
            }
        }

        return null;
    }

    private void NoteLarge(StreamCaller caller)
    {
        lock (_largeLock)
        {
            if (_large.Count >= MostLarge)
            {
                _large.RemoveAll(static one => !one.IsLarge);
            }

            if (!_large.Contains(caller))
            {
                _large.Add(caller);
            }
        }
    }

    // Under the lock.
    private void List(KeptStream stream)
    {
        var ofPool = !stream.IsOver && stream.Pool is { } pool ? _leftInPools.Add(pool, stream) : null;
        if (ofPool is not null)
        {
            _looking ??= _time.CreateTimer(_ => LookIntoPools(), null, LeftInPools.Interval, LeftInPools.Interval);
        }

        stream.Left = (_left.Add(stream), stream.Caller.Left.Add(stream), ofPool);
    }

    // Under the lock.
    private static void Unlist(KeptStream stream)
    {
        if (stream.Left is var (ofAll, ofCaller, ofPool))
        {
            ofPool?.List!.Remove(ofPool);
            ofAll.List!.Remove(ofAll);
            ofCaller.List!.Remove(ofCaller);
            stream.Left = null;
        }
    }

    // Under the lock. The stream is closed afterwards.
    private void Remove(KeptStream stream, bool isRemembered)
    {
        stream.Window?.Dispose();
        stream.Window = null;
        Unlist(stream);
        if (!_streams.Remove(stream.Id))
        {
            return;
        }

        stream.Caller.Release(StreamCost);
        if (--stream.Caller.Streams == 0)
        {
            _callers.Remove(stream.Caller.Name);
        }

        if (isRemembered && _ended.TryAdd(stream.Id, stream.Key))
        {
            _endedOrder.Enqueue(stream.Id);
            if (_endedOrder.Count > MostRemembered)
            {
                _ended.Remove(_endedOrder.Dequeue());
            }
        }
    }

    private void Track(Task running, KeptStream stream)
    {
        lock (_lock)
        {
            _running.Add(running);
        }

        _ = running.ContinueWith(
            done =>
            {
                lock (_lock)
                {
                    _running.Remove(done);
                    if (stream.Left is not null)
                    {
                        // It is complete now.
                        Unlist(stream);
                        List(stream);
                    }
                }
            },
            CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }
}
