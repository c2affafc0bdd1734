using Weir.Execution.Processes;
using Weir.Protocol.Frames;

namespace Weir.IntegrationTests.Watching;

/// <summary>A data channel that a test can hold: what the worker sends from then on is read and kept, and the host gets it later.</summary>
internal sealed class HeldChannel(WorkerChannel channel) : WorkerChannel
{
    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _release = new(0);

    // The reader's thread.
    private readonly FrameReader _frames = new(FrameRoute.DataUp);
    private byte[] _kept = [];

    // Under _gate.
    private readonly HashSet<ulong> _started = [];
    private readonly HashSet<ulong> _answered = [];
    private long _received;
    private Func<HeldChannel, bool>? _until;
    private TaskCompletionSource? _held;

    /// <summary>The bytes the worker has sent.</summary>
    public long Received
    {
        get
        {
            lock (_gate)
            {
                return _received;
            }
        }
    }

    public bool HasStarted(ulong callId)
    {
        lock (_gate)
        {
            return _started.Contains(callId);
        }
    }

    public bool HasAnswered(ulong callId)
    {
        lock (_gate)
        {
            return _answered.Contains(callId);
        }
    }

    /// <summary>From now on the host gets nothing. The task completes when the condition holds for what was kept, or the channel has ended.</summary>
    public Task HoldAsync(Func<HeldChannel, bool> until)
    {
        lock (_gate)
        {
            _until = until;
            _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _held.Task;
        }
    }

    /// <summary>The host gets what was kept, and then the rest.</summary>
    public void Release() => _release.Release();

    public override void Share(SharedMemoryRegion region, Action signalSpace, Action<string> onViolation) => channel.Share(region, signalSpace, onViolation);

    public override int Receive(Span<byte> buffer) => _kept.Length > 0 ? TakeKept(buffer) : Hear(buffer, channel.Receive(buffer));

    // The same reader, when it looks for a moment before it sleeps.
    public override int TryReceive(Span<byte> buffer) => _kept.Length > 0 ? TakeKept(buffer) : Hear(buffer, channel.TryReceive(buffer));

    public override int TrySend(ReadOnlySpan<byte> bytes) => channel.TrySend(bytes);

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation) => channel.Attend(onReadable, onViolation);

    public override Task FinishAsync() => channel.FinishAsync();

    public override void WhenWritable(Action callback) => channel.WhenWritable(callback);

    public override void End() => channel.End();

    /// <summary>The channel itself is its worker's.</summary>
    public override void Dispose()
    {
        _frames.Dispose();
        _release.Dispose();
    }

    private int Hear(Span<byte> buffer, int received)
    {
        if (received <= 0 || !Note(buffer[..received]))
        {
            return received;
        }

        // 1. Keep, until it is enough. 2. Wait for Release. 3. Pass on.
        var kept = new List<byte>(buffer[..received].ToArray());
        var more = new byte[1 << 16];
        while (!IsEnough() && (received = channel.Receive(more)) > 0)
        {
            Note(more.AsSpan(0, received));
            kept.AddRange(more.AsSpan(0, received));
        }

        lock (_gate)
        {
            _held!.SetResult();
            _held = null;
        }

        _release.Wait();
        _kept = [.. kept];
        return TakeKept(buffer);
    }

    // Whether the bytes must be kept.
    private bool Note(ReadOnlySpan<byte> bytes)
    {
        _frames.Append(bytes);
        lock (_gate)
        {
            _received += bytes.Length;
            while (_frames.TryRead(out var frame))
            {
                if (frame.Type == FrameType.Started)
                {
                    _started.Add(frame.CallId);
                }
                else if (frame.Type is FrameType.Result or FrameType.Error)
                {
                    _answered.Add(frame.CallId);
                }
            }

            return _held is not null;
        }
    }

    private bool IsEnough()
    {
        lock (_gate)
        {
            return _until!(this);
        }
    }

    private int TakeKept(Span<byte> buffer)
    {
        var count = Math.Min(buffer.Length, _kept.Length);
        _kept.AsSpan(0, count).CopyTo(buffer);
        _kept = _kept[count..];
        return count;
    }
}
