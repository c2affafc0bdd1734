using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>Starts workers by posix_spawn, with two socket pairs as descriptors 3 and 4, shared memory as 5, shared data from 6 on, and a pidfd for the host.</summary>
internal sealed class LinuxLauncher : IWorkerLauncher
{
    private readonly Func<int, WorkerLimits, ControlGroupLeaf?, AppliedLimits> _applyLimits;

    public LinuxLauncher()
        : this(LinuxLimits.Apply)
    {
    }

    /// <summary>Lets a test refuse a limit.</summary>
    internal LinuxLauncher(Func<int, WorkerLimits, ControlGroupLeaf?, AppliedLimits> applyLimits) => _applyLimits = applyLimits;

    public WorkerLimits Prepare(ILimitOptions options)
    {
        var planning = new ControlGroupPlanning(options, ControlGroupHierarchy.OfThisProcess(), Delegation.Holds);
        var limits = WorkerLimits.For(options, NiceLevel.OfThisProcess, OomScoreAdjuster.OfThisProcess) with { Group = planning.Run(), Unavailable = planning.Refusals };
        if (limits.BestEffort)
        {
            return limits;
        }

        List<string> refusals = [.. planning.Refusals, .. LinuxLimits.Probe(limits)];
        if (refusals.Count > 0)
        {
            limits.Group?.Release();
            throw new LaunchException(WeirCodes.LimitNotApplied, string.Join(" ", refusals));
        }

        return limits;
    }

    public async Task<WorkerHandle> LaunchAsync(LaunchRequest request)
    {
        var missing = new List<string>(request.Limits.Unavailable);
        var group = LinuxLimits.MakeGroup(request.Limits, missing);
        try
        {
            return await LaunchAsync(request, group, missing).ConfigureAwait(false);
        }
        catch when (group is not null)
        {
            await group.EndAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task<WorkerHandle> LaunchAsync(LaunchRequest request, ControlGroupLeaf? group, List<string> missing)
    {
        // 1. Keep the host's other descriptors out of the worker.
        DescriptorSetup.SealOnce();

        // 2. Create the pipes, sockets and shared memory. The worker's ends are closed here in every case.
        using var hostEnds = new DescriptorGroup();
        using var workerEnds = new DescriptorGroup();
        var (output, workerOutput) = DescriptorSetup.Pipe();
        hostEnds.Add(output);
        workerEnds.Add(workerOutput);
        var (error, workerError) = DescriptorSetup.Pipe();
        hostEnds.Add(error);
        workerEnds.Add(workerError);
        var (data, workerData) = DescriptorSetup.SocketPair();
        hostEnds.Add(data);
        workerEnds.Add(workerData);
        var (control, workerControl) = DescriptorSetup.SocketPair();
        hostEnds.Add(control);
        workerEnds.Add(workerControl);
        var region = MemfdRegion.TryCreate();
        if (region is not null)
        {
            hostEnds.Add(region.Value.SharedMemory);
            workerEnds.Add(region.Value.Descriptor);
        }

        foreach (var file in request.SharedData)
        {
            if (file.Memory is { } memory)
            {
                workerEnds.Add(DescriptorSetup.Duplicate(memory));
            }
        }

        workerEnds.RaiseAll();

        // 3. Spawn, on the thread that never ends.
        var plan = new SpawnPlan(
            request, workerEnds[0], workerEnds[1], workerEnds[2], workerEnds[3], region is null ? null : workerEnds[4], workerEnds.From(region is null ? 4 : 5));
        var pid = await SpawnThread.Shared.SpawnAsync(() => AffinitySpawn.Start(plan)).ConfigureAwait(false);

        // The next steps open files, and the worker's ends may have taken the last free descriptors.
        workerEnds.Dispose();

        // 4. Open its pidfd, apply its limits, watch it; on a failure kill it.
        var pidfd = Hold(pid);
        hostEnds.Add(pidfd);
        var worker = new LinuxWorkerHandle(pid, pidfd, new SocketChannel(data), new SocketChannel(control), region?.SharedMemory, group);
        try
        {
            var applied = _applyLimits(pid, request.Limits, group);
            worker.Hold(applied with { Missing = [.. missing, .. applied.Missing] });
            await worker.AttendAsync(output, error, request.Output).ConfigureAwait(false);
        }
        catch
        {
            worker.Kill();
            Reaping.WaitFor(pid);
            throw;
        }

        hostEnds.Release();
        return worker;
    }

    private static Descriptor Hold(int pid)
    {
        if (Pidfd.TryOpen(pid) is { } pidfd)
        {
            return pidfd;
        }

        // The process is a child of the host and not reaped, so the number is still its own.
        var errno = Errno.Last;
        _ = ProcessCalls.SignalByNumber(pid, ProcessCalls.Kill);
        Reaping.WaitFor(pid);
        throw errno == Errno.NoSystemCall
            ? new LaunchException(WeirCodes.PlatformNotSupported, "Worker processes need pidfd_open, Linux 5.4 or newer. Set WeirOptions.RunInline to run isolated operations inside the host, without isolation.")
            : DescriptorSetup.Failed("pidfd_open", errno);
    }
}
