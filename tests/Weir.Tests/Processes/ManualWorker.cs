using Weir.Execution.Processes;
using Weir.Protocol;

namespace Weir.Tests.Processes;

/// <summary>A launcher of workers that exist only in the test, which says what each does and when.</summary>
internal sealed class ManualLauncher : IWorkerLauncher
{
    private readonly System.Threading.Channels.Channel<ManualWorker> _launched = System.Threading.Channels.Channel.CreateUnbounded<ManualWorker>();

    private int _count;

    /// <summary>How many were started so far.</summary>
    public int Launched => Volatile.Read(ref _count);

    public Task<WorkerHandle> LaunchAsync(LaunchRequest request)
    {
        var worker = new ManualWorker();
        Interlocked.Increment(ref _count);
        _launched.Writer.TryWrite(worker);
        return Task.FromResult<WorkerHandle>(worker);
    }

    public WorkerLimits Prepare(Weir.Execution.PoolOptions options) => WorkerLimits.None;

    /// <summary>The next worker that the pool starts; a pool that starts none fails the test.</summary>
    public Task<ManualWorker> NextAsync() =>
        _launched.Reader.ReadAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
}

/// <summary>One such worker; its host sees it as it would see a process.</summary>
internal sealed class ManualWorker : WorkerHandle
{
    private readonly TaskCompletionSource<ExitReport> _exited = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ManualStream DataStream { get; } = new();

    public ManualStream ControlStream { get; } = new();

    public TaskCompletionSource Killed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public override int ProcessId => 4711;

    public override WorkerChannel Data => DataStream;

    public override WorkerChannel Control => ControlStream;

    public override Task<ExitReport> Exited => _exited.Task;

    public override string? LastWords => null;

    public override string ReadOutputTail() => "";

    public void SayReady() => ControlStream.Deliver(frames => new ReadyPayload { ProcessId = ProcessId }.Write(frames));

    public void Exit(ExitReport report)
    {
        _exited.TrySetResult(report);
        DataStream.End();
    }

    public override void Kill()
    {
        Killed.TrySetResult();
        Exit(new ExitReport(null, 9));
    }

    public override async ValueTask DisposeAsync()
    {
        Kill();
        await Exited;
    }
}

/// <summary>One channel of such a worker.</summary>
internal sealed class ManualStream : WorkerChannel
{
    private readonly Lock _gate = new();
    private readonly Queue<byte[]> _arrived = new();
    private readonly ManualResetEventSlim _something = new();
    private bool _ended;
    private readonly Lock _attending = new();
    private readonly FrameReader _sent = new(FrameRoute.DataDown | FrameRoute.ControlDown);
    private readonly System.Threading.Channels.Channel<SentFrame> _frames = System.Threading.Channels.Channel.CreateUnbounded<SentFrame>();
    private Func<bool>? _onReadable;

    /// <summary>Ends when its reader has seen the end.</summary>
    public TaskCompletionSource EndSeen { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The next frame that the host sends; one that sends none fails the test.</summary>
    public Task<SentFrame> NextAsync() =>
        _frames.Reader.ReadAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);

    public void Deliver(Action<FrameWriter> write)
    {
        using var frames = new FrameWriter();
        write(frames);
        Assert.True(frames.TryPeek(out var bytes));
        lock (_gate)
        {
            _arrived.Enqueue(bytes.ToArray());
            _something.Set();
        }

        LetRead();
    }

    public override int Receive(Span<byte> buffer)
    {
        while (true)
        {
            _something.Wait();
            var received = TryReceive(buffer);
            if (received >= 0)
            {
                return received;
            }
        }
    }

    public override int TryReceive(Span<byte> buffer)
    {
        lock (_gate)
        {
            if (_arrived.TryDequeue(out var bytes))
            {
                bytes.CopyTo(buffer);
                return bytes.Length;
            }

            if (_ended)
            {
                EndSeen.TrySetResult();
                return 0;
            }

            _something.Reset();
            return -1;
        }
    }

    public override void End()
    {
        lock (_gate)
        {
            _ended = true;
            _something.Set();
        }
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            _sent.Append(bytes);
            while (_sent.TryRead(out var frame))
            {
                _frames.Writer.TryWrite(new SentFrame(frame.Type, frame.CallId, frame.Payload.ToArray()));
            }
        }

        return bytes.Length;
    }

    public override void Attend(Func<bool> onReadable, Action<Exception> onFault)
    {
        lock (_attending)
        {
            _onReadable = onReadable;
        }

        LetRead();
    }

    public override Task FinishAsync()
    {
        LetRead();
        return Task.CompletedTask;
    }

    public override void WhenWritable(Action callback) => callback();

    // As the attendant does: one at a time, whoever brings the news.
    private void LetRead()
    {
        lock (_attending)
        {
            _onReadable?.Invoke();
        }
    }

    public override void Dispose()
    {
        _something.Dispose();
        _sent.Dispose();
    }
}

/// <summary>A frame of the host's.</summary>
internal sealed record SentFrame(FrameType Type, ulong CallId, byte[] Payload)
{
    public string Text => System.Text.Encoding.UTF8.GetString(Payload);
}
