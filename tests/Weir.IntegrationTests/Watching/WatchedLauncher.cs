using System.Text;
using Weir.Execution.Pools;
using Weir.Execution.Processes;
using Weir.IntegrationTests.Processes;

namespace Weir.IntegrationTests.Watching;

/// <summary>The operating system's own launcher, which keeps what it started and lets the first worker die at a moment of its start.</summary>
internal sealed class WatchedLauncher : IWorkerLauncher
{
    private readonly IWorkerLauncher _launcher = WorkerLauncherFactory.ForThisPlatform();
    private readonly Lock _gate = new();

    // Under _gate.
    private readonly List<WatchedWorker> _workers = [];

    /// <summary>The first worker is killed before it has read anything.</summary>
    public bool KillsFirst { get; init; }

    /// <summary>The first worker is killed when it prints this line.</summary>
    public string? KillsFirstAt { get; init; }

    /// <summary>Every worker so far.</summary>
    public IReadOnlyList<WatchedWorker> Workers
    {
        get
        {
            lock (_gate)
            {
                return [.. _workers];
            }
        }
    }

    public WatchedWorker Last => Workers[^1];

    public WorkerLimits Prepare(ILimitOptions options) => _launcher.Prepare(options);

    public async Task<WorkerHandle> LaunchAsync(LaunchRequest request)
    {
        var sink = new Sink(request.Output, KillsFirstAt);
        var handle = await _launcher.LaunchAsync(new LaunchRequest
        {
            FileName = request.FileName,
            Arguments = request.Arguments,
            Environment = request.Environment,
            WorkingDirectory = request.WorkingDirectory,
            Limits = request.Limits,
            Output = sink,
        });
        var worker = new WatchedWorker(handle);
        bool isFirst;
        lock (_gate)
        {
            isFirst = _workers.Count == 0;
            _workers.Add(worker);
        }

        sink.Target = isFirst ? handle.ProcessId : 0;
        if (isFirst && KillsFirst)
        {
            _ = Signals.Send(handle.ProcessId, Signals.Kill);
        }

        return worker;
    }

    // A worker prints nothing before HELLO, and HELLO is said when its handle is there.
    private sealed class Sink(IOutputSink sink, string? killsAt) : IOutputSink
    {
        public volatile int Target;

        public void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut)
        {
            if (killsAt is not null && Target != 0 && Encoding.UTF8.GetString(utf8) == killsAt)
            {
                _ = Signals.Send(Target, Signals.Kill);
            }

            sink.OnLine(stream, utf8, cut);
        }
    }
}
