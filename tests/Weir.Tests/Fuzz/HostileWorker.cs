using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Protocol.Frames;

namespace Weir.Tests.Fuzz;

/// <summary>A worker in memory: the test decides what it answers to the host, and when it exits.</summary>
internal sealed class HostileWorker : WorkerHandle
{
    private readonly TaskCompletionSource<ExitReport> _exited = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Action _onExit;
    private int _isDead;

    /// <param name="processId">Its process id.</param>
    /// <param name="seed">The seed for how its bytes are split into pieces.</param>
    /// <param name="onExit">Called once, when it exits.</param>
    /// <param name="hasSharedMemory">Whether its data goes through shared memory.</param>
    public HostileWorker(int processId, int seed, Action onExit, bool hasSharedMemory = false)
    {
        ProcessId = processId;
        _onExit = onExit;
        DataStream = new HostileChannel(FrameRoute.DataDown, seed);
        ControlStream = new HostileChannel(FrameRoute.ControlDown | FrameRoute.DataDown, ~seed);
        Data = DataStream;
        if (hasSharedMemory)
        {
            Rings = DataStream.Rings = new HostileRings();
            Data = new RingChannel(DataStream);
        }
    }

    /// <summary>Its ends of the rings, if it has shared memory.</summary>
    public HostileRings? Rings { get; }

    public HostileChannel DataStream { get; }

    public HostileChannel ControlStream { get; }

    /// <summary>The model that interprets its bytes; disposed with it.</summary>
    public IDisposable? Model { get; set; }

    public bool IsDead => Volatile.Read(ref _isDead) != 0;

    public override int ProcessId { get; }

    public override WorkerChannel Data { get; }

    public override SharedMemoryRegion? SharedMemory => Rings?.SharedMemory;

    public override WorkerChannel Control => ControlStream;

    public override Task<ExitReport> Exited => _exited.Task;

    public override string? FatalErrorLine => null;

    public override string ReadOutputTail() => "";

    public void Die(int signal)
    {
        if (Interlocked.Exchange(ref _isDead, 1) == 0)
        {
            _onExit();
            _exited.SetResult(new ExitReport(null, signal));
            DataStream.End();
        }
    }

    /// <summary>Exits when the host has read everything and waits for more.</summary>
    public void DieWhenAwaited(int signal)
    {
        // The host may be waiting already without having been woken.
        DataStream.OnAwaited = () => Die(signal);
        DataStream.Say([1]);
    }

    public override void Kill() => Die(9);

    public override async ValueTask DisposeAsync()
    {
        Kill();
        await Exited;
        DataStream.Dispose();
        ControlStream.Dispose();
        SharedMemory?.Dispose();
        Model?.Dispose();
    }
}
