using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Protocol;

namespace Weir.Tests.Processes;

/// <summary>A launcher of workers that exist only in the test; the test decides what each does and when.</summary>
internal sealed class ManualLauncher : IWorkerLauncher
{
    private readonly System.Threading.Channels.Channel<ManualWorker> _launched = System.Threading.Channels.Channel.CreateUnbounded<ManualWorker>();

    private int _count;

    /// <summary>How many workers were started so far.</summary>
    public int Launched => Volatile.Read(ref _count);

    /// <summary>Why no worker can be started; <c>null</c> while workers can be started.</summary>
    public Exception? Refusal { get; set; }

    public Task<WorkerHandle> LaunchAsync(LaunchRequest request)
    {
        if (Refusal is not null)
        {
            return Task.FromException<WorkerHandle>(Refusal);
        }

        var worker = new ManualWorker(HasSharedMemory ? new AllocatedRegion() : null) { Output = request.Output };
        Interlocked.Increment(ref _count);
        _launched.Writer.TryWrite(worker);
        return Task.FromResult<WorkerHandle>(worker);
    }

    /// <summary>Whether workers have shared memory; their frames go over their channels in any case.</summary>
    public bool HasSharedMemory { get; init; }

    public WorkerLimits Prepare(ILimitOptions options) => WorkerLimits.None;

    /// <summary>The next worker that the pool starts; a pool that starts none fails the test.</summary>
    public Task<ManualWorker> NextAsync() =>
        _launched.Reader.ReadAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
}

/// <summary>One worker of the launcher; the host uses it like a process.</summary>
/// <param name="memory">Its shared memory; <c>null</c> if it has none.</param>
internal sealed class ManualWorker(AllocatedRegion? memory = null) : WorkerHandle
{
    private readonly TaskCompletionSource<ExitReport> _exited = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Takes what it prints.</summary>
    public IOutputSink Output { get; init; } = new RecordedLines();

    public ManualStream DataStream { get; } = new();

    public ManualStream ControlStream { get; } = new();

    public TaskCompletionSource Killed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public override int ProcessId => 4711;

    public override SharedMemoryRegion? SharedMemory { get; } = memory is null ? null : new BorrowedRegion(memory.Address);

    public override WorkerChannel Data => DataStream;

    public override WorkerChannel Control => ControlStream;

    public override Task<ExitReport> Exited => _exited.Task;

    public override string? FatalErrorLine => null;

    public override string ReadOutputTail() => "";

    public void SendReady() => ControlStream.Deliver(frames => new ReadyPayload { ProcessId = ProcessId }.Write(frames));

    /// <summary>Sends READY for one operation, with its shared memory if it has any.</summary>
    public void SendReady(string operation) => ControlStream.Deliver(frames =>
        new ReadyPayload { Operations = [new(operation, 0)], Capabilities = SharedMemory is null ? Capabilities.None : Capabilities.SharedMemory }.Write(frames));

    /// <summary>Answers calls that have no value, together.</summary>
    public void Answer(params IEnumerable<ulong> callIds) => DataStream.Deliver(frames =>
    {
        foreach (var id in callIds)
        {
            frames.Append(FrameType.Result, id, FrameFlags.NoValue);
        }
    });

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
        SharedMemory?.Dispose();
        memory?.Dispose();
    }
}

/// <summary>One channel of a manual worker.</summary>
internal sealed class ManualStream : WorkerChannel
{
    private readonly Lock _gate = new();
    private readonly Queue<byte[]> _arrived = new();
    private readonly ManualResetEventSlim _something = new();
    private bool _ended;
    private bool _isHandled;
    private readonly Lock _attending = new();
    private readonly FrameReader _sent = new(FrameRoute.DataDown | FrameRoute.ControlDown);
    private readonly System.Threading.Channels.Channel<SentFrame> _frames = System.Threading.Channels.Channel.CreateUnbounded<SentFrame>();
    private Func<bool>? _onReadable;
    private Action? _onWritable;

    /// <summary>Completes when the reader has seen the end of the channel.</summary>
    public TaskCompletionSource EndSeen { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Whether the host has handled everything that was delivered: its reader has read again and found nothing.</summary>
    public bool IsHandled
    {
        get
        {
            lock (_gate)
            {
                return _isHandled;
            }
        }
    }

    /// <summary>The next frame that the host sends; one that sends none fails the test.</summary>
    public Task<SentFrame> NextAsync() =>
        _frames.Reader.ReadAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);

    /// <summary>The next frame that the host has sent; <c>null</c> when there is none.</summary>
    public SentFrame? TryNext() => _frames.Reader.TryRead(out var frame) ? frame : null;

    public void Deliver(Action<FrameWriter> write)
    {
        using var frames = new FrameWriter();
        write(frames);
        Assert.True(frames.TryPeek(out var bytes));
        lock (_gate)
        {
            _arrived.Enqueue(bytes.ToArray());
            _isHandled = false;
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

            _isHandled = true;
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

    /// <summary>The number of bytes that may still be sent.</summary>
    public int Space { get; set; } = int.MaxValue;

    /// <summary>The exception that sending throws.</summary>
    public Exception? Failure { get; set; }

    public void GiveSpace()
    {
        Space = int.MaxValue;
        Interlocked.Exchange(ref _onWritable, null)?.Invoke();
    }

    public override void Share(SharedMemoryRegion region, Action signalSpace, Action<string> onViolation)
    {
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        if (Failure is not null)
        {
            throw Failure;
        }

        bytes = bytes[..Math.Min(bytes.Length, Space)];
        lock (_gate)
        {
            Space -= Space == int.MaxValue ? 0 : bytes.Length;
            _sent.Append(bytes);
            while (_sent.TryRead(out var frame))
            {
                _frames.Writer.TryWrite(new SentFrame(frame.Type, frame.CallId, frame.Payload.ToArray()));
            }
        }

        return bytes.Length;
    }

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation)
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

    public override void WhenWritable(Action callback)
    {
        if (Space > 0)
        {
            callback();
        }
        else
        {
            _onWritable = callback;
        }
    }

    // Like the epoll loop: one thread at a time, whichever thread delivers the bytes.
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

/// <summary>A frame that the host sent.</summary>
internal sealed record SentFrame(FrameType Type, ulong CallId, byte[] Payload)
{
    public string Text => System.Text.Encoding.UTF8.GetString(Payload);
}
