using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Protocol.Frames;

namespace Weir.Tests.Fuzz;

/// <summary>A worker in memory: for what the host sends it asks what to say, and dies when it is told to.</summary>
internal sealed class HostileWorker : WorkerHandle
{
    private readonly TaskCompletionSource<ExitReport> _exited = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Action _onExit;
    private int _isDead;

    /// <param name="processId">Its number.</param>
    /// <param name="seed">How its bytes are cut into pieces.</param>
    /// <param name="onExit">Called once.</param>
    /// <param name="hasPage">Whether its data goes through a page.</param>
    public HostileWorker(int processId, int seed, Action onExit, bool hasPage = false)
    {
        ProcessId = processId;
        _onExit = onExit;
        DataStream = new HostileChannel(FrameRoute.DataDown, seed);
        ControlStream = new HostileChannel(FrameRoute.ControlDown | FrameRoute.DataDown, ~seed);
        Data = DataStream;
        if (hasPage)
        {
            Rings = DataStream.Rings = new HostileRings();
            Data = new RingChannel(DataStream);
        }
    }

    /// <summary>Its ends of the rings, if it has a page.</summary>
    public HostileRings? Rings { get; }

    public HostileChannel DataStream { get; }

    public HostileChannel ControlStream { get; }

    /// <summary>What knows what it means; ends with it.</summary>
    public IDisposable? Model { get; set; }

    public bool IsDead => Volatile.Read(ref _isDead) != 0;

    public override int ProcessId { get; }

    public override WorkerChannel Data { get; }

    public override SharedPage? Page => Rings?.Page;

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

    /// <summary>Lives until its host has read what it sent and waits for more.</summary>
    public void DieWhenAwaited(int signal)
    {
        // Its host may be waiting already, and not have been rung.
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
        Page?.Dispose();
        Model?.Dispose();
    }
}
