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
    // What a stream costs besides its items.
    private const int StreamCost = 1024;

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
    private bool _isStopping;

    /// <param name="options">Their limits.</param>
    /// <param name="time">The clock.</param>
    /// <param name="shutdown">Notifies of the begin of a shutdown.</param>
    public KeptStreams(IOptions<WeirServerOptions> options, TimeProvider time, ShutdownCut shutdown)
    {
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

    /// <summary>Begins a stream and runs its call in the background. The caller reads it from its first item on, and releases it.</summary>
    /// <param name="call">Its arguments are bound.</param>
    /// <param name="key">What a request that continues it must match.</param>
    /// <param name="settings">Has the serializer of its items.</param>
    /// <param name="run">Runs the call to its completion; does not throw.</param>
    /// <exception cref="CallRejectedException">The memory for all streams is used up.</exception>
    internal (KeptStream Stream, KeptReader Reader) Begin(StreamCall call, StreamKey key, StreamSettings settings, Func<KeptStream, Task> run)
    {
        MakePlace();
        if (!_memory.TryReserve(StreamCost))
        {
            throw new CallRejectedException(
                WeirCodes.ResumeMemoryFull,
                $"{call.Operation} cannot start: resumable streams keep {_memory.Used} bytes, and {nameof(WeirServerOptions)}.{nameof(_options.ResumeMemoryLimit)} is {_options.ResumeMemoryLimit}; send the request again later, or raise the limit. See {WeirCodes.ResumeMemoryFull}.");
        }

        var stream = new KeptStream(StreamId.Create(), key, call, _options.ResumeBufferSize, _memory, settings);
        stream.TryAttach(0, out var reader);
        lock (_lock)
        {
            _streams.Add(stream.Id, stream);
        }

        // A producer that never waits would otherwise fill the buffer before its reader is there.
        Track(Task.Run(() => run(stream)));
        return (stream, reader!);
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

            stream.LeftAt = _time.GetTimestamp();
            if (isKnown && !_isStopping && _options.ResumeWindow > TimeSpan.Zero)
            {
                stream.Window = _time.CreateTimer(state => End((KeptStream)state!), stream, _options.ResumeWindow, Timeout.InfiniteTimeSpan);
                return;
            }

            Remove(stream, isRemembered: isKnown);
        }

        stream.Dispose();
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

    // Streams that are complete and that were read to their end are the first that are not needed any more.
    private void MakePlace()
    {
        if (_memory.Has(_options.ResumeBufferSize))
        {
            return;
        }

        lock (_lock)
        {
            foreach (var stream in _streams.Values.Where(static one => one.Window is not null && one.IsOver).OrderBy(static one => one.LeftAt).ToList())
            {
                Remove(stream, isRemembered: true);
                stream.Dispose();
                if (_memory.Has(_options.ResumeBufferSize))
                {
                    break;
                }
            }
        }
    }

    // Under the lock. The stream is closed afterwards.
    private void Remove(KeptStream stream, bool isRemembered)
    {
        stream.Window?.Dispose();
        stream.Window = null;
        if (!_streams.Remove(stream.Id))
        {
            return;
        }

        _memory.Release(StreamCost);
        if (isRemembered && _ended.TryAdd(stream.Id, stream.Key))
        {
            _endedOrder.Enqueue(stream.Id);
            if (_endedOrder.Count > MostRemembered)
            {
                _ended.Remove(_endedOrder.Dequeue());
            }
        }
    }

    private void Track(Task running)
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
                }
            },
            CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }
}
