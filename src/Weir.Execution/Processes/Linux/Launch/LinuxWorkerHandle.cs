using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Epoll;
using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>A worker identified by its pidfd: watched, killed with all it started, reaped once.</summary>
internal sealed class LinuxWorkerHandle : WorkerHandle, IReadyHandler
{
    private const int KillSignal = 9;
    private const int TerminateSignal = 15;

    private readonly Lock _gate = new();
    private readonly Descriptor _pidfd;
    private readonly WorkerChannel _data;
    private readonly SocketChannel _control;
    private readonly ControlGroupLeaf? _group;
    private readonly OutputTail _tail = new();
    private readonly TaskCompletionSource<ExitReport> _exited = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Only the epoll loop's thread uses these, from AttendAsync on.
    private EpollRegistration? _watch;
    private OutputPipe? _output;
    private OutputPipe? _error;

    // Set before anything is read.
    private FatalErrorLine? _lastWords;
    private AppliedLimits _limits = AppliedLimits.None;

    // Protected by _gate. The worker is not reaped while a kill or an inspection runs: until then the process ids that these use cannot be reused.
    private int _holds;
    private bool _reaped;
    private bool _wasKilled;

    public LinuxWorkerHandle(int processId, Descriptor pidfd, SocketChannel data, SocketChannel control, SharedMemoryRegion? region, ControlGroupLeaf? group)
    {
        ProcessId = processId;
        _pidfd = pidfd;
        _data = region is null ? data : new RingChannel(data);
        _control = control;
        SharedMemory = region;
        _group = group;
        _ = OomKills.OfThisHost;
        OrphanReaper.Expect();
    }

    public override int ProcessId { get; }

    public override WorkerChannel Data => _data;

    public override WorkerChannel Control => _control;

    public override SharedMemoryRegion? SharedMemory { get; }

    public override Task<ExitReport> Exited => _exited.Task;

    public override AppliedLimits Limits => _limits;

    public override bool IsExplained(ExitReport exit)
    {
        lock (_gate)
        {
            return _wasKilled || exit.IsOutOfMemory || exit.Signal is not (KillSignal or TerminateSignal);
        }
    }

    public override long? ReadPrivateMemory() => PrivateMemory.Read(ProcessId);

    public override MemoryUse? ReadMemoryUse() => PrivateMemory.ReadUse(ProcessId);

    public override WorkerInspection? Inspect() => DumpTool.Path is null ? null : new LinuxInspection(ProcessId, _pidfd, TryHold, Release);

    public override string ReadOutputTail() => _tail.ToString();

    public override string? FatalErrorLine => _lastWords?.Line;

    /// <summary>Remembers what was applied to it. Called before any other code has the handle.</summary>
    public void Hold(AppliedLimits limits) => _limits = limits;

    /// <summary>Starts to watch for the exit and to drain the output.</summary>
    public Task AttendAsync(Descriptor output, Descriptor error, IOutputSink sink)
    {
        var attended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var loop = EpollLoop.Shared;
        _lastWords = new FatalErrorLine(sink);
        loop.Post(
            () =>
            {
                var rate = new OutputRate(OutputRate.DefaultBytesPerSecond, OutputRate.DefaultBurstBytes, loop.TicksPerSecond);
                _output = new OutputPipe(loop, output, OutputStream.Standard, sink, _tail, rate);
                _error = new OutputPipe(loop, error, OutputStream.Error, _lastWords, _tail, rate);
                _output.Start();
                _error.Start();
                _watch = loop.Add(_pidfd, Readiness.Readable, this);
                attended.SetResult();
            },
            attended.SetException);
        return attended.Task;
    }

    public override void Kill()
    {
        if (!TryHold(kills: true))
        {
            return;
        }

        try
        {
            KillAll();
        }
        finally
        {
            // Allow it to be reaped, also after a failure.
            Release();
        }
    }

    private bool TryHold() => TryHold(kills: false);

    private bool TryHold(bool kills)
    {
        lock (_gate)
        {
            if (_reaped)
            {
                return false;
            }

            _holds++;
            _wasKilled |= kills;
            return true;
        }
    }

    private void Release()
    {
        lock (_gate)
        {
            _holds--;
        }
    }

    private void KillAll()
    {
        // 1. Kill the whole control group at once where the kernel can.
        var isKilled = _limits.EndsEverything;
        if (isKilled)
        {
            _group!.Kill();
        }

        // 2. Otherwise stop it, so that it starts nothing while its descendants are searched. Where other code reaps the host's
        //    children, its number may belong to another process already; a stopped process keeps its number.
        var descendants = new List<Descriptor>();
        if (!isKilled && HoldStill())
        {
            try
            {
                Descendants.StopAndCollect(ProcessId, descendants);
            }
            catch (Exception)
            {
                // Best effort: whatever failed in /proc, the worker and the descendants that were found must be killed.
            }
        }

        // 3. Kill the process group, the worker, and the descendants that left the group.
        Pidfd.KillGroup(_pidfd, ProcessId);
        Pidfd.Kill(_pidfd);
        foreach (var descendant in descendants)
        {
            Pidfd.Kill(descendant);
            descendant.Dispose();
        }
    }

    public override async ValueTask DisposeAsync()
    {
        Kill();
        await Exited.ConfigureAwait(false);
        _data.Dispose();
        _control.Dispose();
        SharedMemory?.Dispose();
        if (_group is not null)
        {
            // Ends the processes that it left behind, and removes its control group.
            await _group.EndAsync().ConfigureAwait(false);
        }
    }

    /// <summary>The process has ended.</summary>
    public void OnReady(Readiness ready)
    {
        if (TryReap() is not { } ended)
        {
            // A kill or an inspection is running, or a debugger holds the dead process: try again later.
            _watch!.Pause(EpollLoop.Shared.TicksPerSecond / 1000);
            return;
        }

        // The exit is reported even if something fails here: the owner waits for it.
        var report = ended;
        try
        {
            report = ended with { IsOutOfMemory = IsOutOfMemory(ended) };
            _watch!.Remove();
            _pidfd.Dispose();
            try
            {
                _output!.Finish();
            }
            finally
            {
                _error!.Finish();
            }
        }
        finally
        {
            _exited.TrySetResult(report);
            OrphanReaper.Expect();
        }
    }

    /// <summary>Its exit is not watched any more: it is killed, and its exit is reported as unknown if it was not reaped.</summary>
    public void OnFailure(Exception failure)
    {
        Kill();
        _exited.TrySetResult(ExitReport.Unknown);
    }

    private bool IsOutOfMemory(ExitReport ended)
    {
        lock (_gate)
        {
            if (_wasKilled || ended.Signal != KillSignal)
            {
                return false;
            }
        }

        return OomKills.OfThisHost.Explain(_group?.Folders ?? []);
    }

    private bool HoldStill()
    {
        Pidfd.Stop(_pidfd);
        return Pidfd.Exists(_pidfd);
    }

    private ExitReport? TryReap()
    {
        lock (_gate)
        {
            if (_holds > 0)
            {
                return null;
            }

            // Kills what it left behind in its process group; until it is reaped no other group can have that number.
            Pidfd.KillGroup(_pidfd, ProcessId);
            var report = Reaping.TryReap(_pidfd);
            _reaped = report is not null;
            return report;
        }
    }
}
