using Weir.Execution.Processes;

namespace Weir.IntegrationTests.Watching;

/// <summary>A real worker whose answers a test may count and hold back.</summary>
internal sealed class WatchedWorker(WorkerHandle worker) : WorkerHandle
{
    private readonly HeldChannel _data = new(worker.Data);

    public override int ProcessId => worker.ProcessId;

    public override WorkerChannel Data => _data;

    public override WorkerChannel Control => worker.Control;

    public override SharedMemoryRegion? SharedMemory => worker.SharedMemory;

    public override AppliedLimits Limits => worker.Limits;

    public override Task<ExitReport> Exited => worker.Exited;

    public override string? FatalErrorLine => worker.FatalErrorLine;

    /// <summary>The data channel, through which the host gets the results of its calls.</summary>
    public HeldChannel Answers => _data;

    /// <summary>Whether it has started a call, by its region or by STARTED.</summary>
    public bool HasStarted(ulong callId) => _data.HasStarted(callId) || SharedMemory?.StartedThrough(0, callId) == callId;

    public override long? ReadPrivateMemory() => worker.ReadPrivateMemory();

    public override string ReadOutputTail() => worker.ReadOutputTail();

    public override void Kill() => worker.Kill();

    public override async ValueTask DisposeAsync()
    {
        await worker.DisposeAsync();
        _data.Dispose();
    }
}
