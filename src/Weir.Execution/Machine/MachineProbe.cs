using System.Diagnostics;
using System.Globalization;
using System.Numerics;
using Weir.Execution.Pools;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Execution.Machine;

/// <summary>
/// What isolation this machine allows. Each limit is tried as a pool tries it at the start of its application; control groups are made and removed. Takes
/// some milliseconds; nothing of it stays.
/// </summary>
/// <param name="launcher">Tries the limits.</param>
internal sealed class MachineProbe(IWorkerLauncher launcher)
{
    // Any value that a machine with workers bears; only whether it can be set is of interest.
    private const long ProbedMemory = 256L << 20;
    private const int ProbedProcesses = 64;

    /// <summary>The probe of this operating system.</summary>
    public static MachineProbe OfThisMachine() => new(WorkerLauncherFactory.ForThisPlatform());

    /// <summary>How workers are started and what can limit them.</summary>
    public IReadOnlyList<MachineFinding> Isolation() =>
    [
        WorkerProcesses(),
        .. ProcessOne(),
        SharedMemory(),
        ControlGroups(),
        Memory(),
        InGroup("processes", "pids", new ProbedOptions { ProcessLimit = ProbedProcesses, ControlGroup = ControlGroupUse.Always }),
        InGroup("CPU time", "cpu", new ProbedOptions { CpuLimit = 1, ControlGroup = ControlGroupUse.Always }),
        Priority(),
        Processors(),
        OutOfMemory(),
    ];

    /// <summary>What the machine has left for workers.</summary>
    public static IReadOnlyList<MachineFinding> Resources()
    {
        if (!OperatingSystem.IsLinux())
        {
            return [new MachineFinding("capacity", "not known", FindingState.Reduced) { Detail = "only Linux has the figures" }];
        }

        var figures = new MachineResources().Read();
        var estimate = CapacityEstimate.Of(figures, CapacityEstimate.UsualMemory);
        return
        [
            new MachineFinding("memory", figures.FreeMemory is { } memory ? $"{Number(memory >> 20)} MB free" : "not known"),
            SharedMemoryLimit(),
            .. SharedDataFindings.Find(figures.FreeMemory),
            new MachineFinding("processes and threads", figures.FreeProcesses is { } processes ? $"{Number(processes)} more" : "no limit known"),
            new MachineFinding("descriptors", figures.FreeDescriptors is { } descriptors ? $"{Number(descriptors)} more" : "no limit known"),
            new MachineFinding("processors", figures.IsShortOfProcessors ? "all busy for 10 s" : "free", figures.IsShortOfProcessors ? FindingState.Reduced : FindingState.Full),
            estimate.Workers > 0
                ? new MachineFinding("workers", estimate.Workers == int.MaxValue ? "no limit known" : $"about {Number(estimate.Workers)} more") { Detail = $"limited by {estimate.Limit}" }
                : new MachineFinding("workers", "none", FindingState.Missing) { Detail = $"limited by {estimate.Limit}", NextStep = "free or raise what limits them" },
        ];
    }

    // As many workers as one pool has by default.
    private static MachineFinding SharedMemoryLimit()
    {
        const string Name = "memory limit";
        if (MemoryShare.Of(HostMemory.Bound(), Environment.ProcessorCount) is not { } share)
        {
            return new MachineFinding(Name, "none") { Detail = "no control group bounds the memory of this process; a pool without MemoryLimitBytes has no limit" };
        }

        return new MachineFinding(Name, $"{Number(share.BoundBytes >> 20)} MB, control group", share.IsEnough ? FindingState.Full : FindingState.Reduced)
        {
            Detail = $"shared by an application and its workers; each of {Number(share.Workers)} workers without MemoryLimitBytes gets {Number(share.LimitBytes >> 20)} MB, and {Number(share.ReserveBytes >> 20)} MB are kept for the application",
            NextStep = share.IsEnough ? null : $"set MaxWorkers to {Number(share.BearableWorkers)} or less, or raise the limit of the control group",
        };
    }

    private static MachineFinding WorkerProcesses()
    {
        const string Name = "worker processes";
        if (!OperatingSystem.IsLinux())
        {
            return new MachineFinding(Name, "portable", FindingState.Reduced) { NextStep = "Linux 5.4 or newer has the complete ones" };
        }

        using var own = Pidfd.TryOpen(Environment.ProcessId);
        return own is not null
            ? new MachineFinding(Name, "pidfd")
            : new MachineFinding(Name, "none", FindingState.Missing)
            {
                Detail = $"pidfd_open: {Errno.Describe(Errno.Last)}",
                NextStep = "run on Linux 5.4 or newer and allow pidfd_open (seccomp), or set WeirOptions.RunInline to run without isolation",
            };
    }

    // Of interest where it is so: as a rule in a container.
    private static MachineFinding[] ProcessOne() => Environment.ProcessId != 1 ? [] :
    [
        new MachineFinding("process 1", "without an init")
        {
            Detail = "the application inherits processes whose parents have ended; it reaps those of its workers",
            NextStep = "where it uses Process.Start, run it under an init (docker run --init, shareProcessNamespace), or the exit status of a lost worker may be unknown",
        },
    ];

    private static MachineFinding SharedMemory()
    {
        const string Name = "shared memory";
        if (!OperatingSystem.IsLinux())
        {
            return new MachineFinding(Name, "none", FindingState.Reduced) { Detail = "calls travel through pipes" };
        }

        try
        {
            if (MemfdRegion.TryCreate() is not { } region)
            {
                return new MachineFinding(Name, "none", FindingState.Reduced) { Detail = "calls travel through sockets", NextStep = "allow memfd_create (seccomp)" };
            }

            region.SharedMemory.Dispose();
            region.Descriptor.Dispose();
            return new MachineFinding(Name, "memfd");
        }
        catch (LaunchException refused)
        {
            return new MachineFinding(Name, "none", FindingState.Missing) { Detail = refused.Message, NextStep = "raise the limits of memory and descriptors" };
        }
    }

    private MachineFinding ControlGroups()
    {
        const string Name = "control groups";
        if (Try(new ProbedOptions { ControlGroup = ControlGroupUse.WhereDelegated }, out _) is { Group: ControlGroupPlan delegated })
        {
            return Found(delegated, FindingState.Full, null);
        }

        return Try(new ProbedOptions { ControlGroup = ControlGroupUse.Always }, out var refusal) is { Group: ControlGroupPlan possible }
            ? Found(possible, FindingState.Reduced, "used where a pool sets ControlGroup to Always or a limit that needs them; systemd delegates a group with Delegate=yes")
            : new MachineFinding(Name, "none", FindingState.Reduced) { Detail = refusal, NextStep = "give the application a group of its own (systemd: Delegate=yes and DelegateSubgroup=host; containers: a writable /sys/fs/cgroup)" };

        static MachineFinding Found(ControlGroupPlan plan, FindingState state, string? nextStep)
        {
            var home = plan.Homes[0];
            return new MachineFinding(Name, plan.Homes.Any(static one => one.IsUnified) ? "version 2" : "version 1", state) { Detail = Path.GetDirectoryName(home.Folder), NextStep = nextStep };
        }
    }

    private MachineFinding Memory()
    {
        const string Name = "memory";
        if (Try(new ProbedOptions { MemoryLimitBytes = ProbedMemory, ControlGroup = ControlGroupUse.Always }, out _) is { Group: ControlGroupPlan { MemoryBytes: not null } plan })
        {
            return new MachineFinding(Name, Level(plan, "memory")) { Detail = "with everything that a worker starts" };
        }

        return Try(new ProbedOptions { MemoryLimitBytes = ProbedMemory }, out var refusal) is not null
            ? new MachineFinding(Name, "RLIMIT_DATA", FindingState.Reduced) { Detail = "each process by itself", NextStep = "a control group with the memory controller limits a worker with everything that it starts" }
            : new MachineFinding(Name, "none", FindingState.Reduced) { Detail = refusal };
    }

    private MachineFinding InGroup(string name, string controller, ProbedOptions options) =>
        Try(options, out var refusal) is { Group: ControlGroupPlan plan }
            ? new MachineFinding(name, Level(plan, controller))
            : new MachineFinding(name, "none", FindingState.Reduced) { Detail = refusal };

    private MachineFinding Priority()
    {
        const string Name = "priority";
        if (Try(new ProbedOptions { Priority = ProcessPriorityClass.BelowNormal }, out var refusal) is null)
        {
            return new MachineFinding(Name, "none", FindingState.Reduced) { Detail = refusal };
        }

        return Try(new ProbedOptions { Priority = ProcessPriorityClass.High }, out _) is not null
            ? new MachineFinding(Name, "lower and higher")
            : new MachineFinding(Name, "lower") { NextStep = "a higher one than the application's needs CAP_SYS_NICE or RLIMIT_NICE" };
    }

    private MachineFinding Processors()
    {
        const string Name = "processors";
        if (OperatingSystem.IsMacOS())
        {
            return new MachineFinding(Name, "none", FindingState.Reduced) { Detail = "macOS has no such limit" };
        }

        using var own = Process.GetCurrentProcess();
        var first = OperatingSystem.IsWindows() || OperatingSystem.IsLinux() ? BitOperations.TrailingZeroCount(own.ProcessorAffinity) : 0;
        return Try(new ProbedOptions { Processors = [first] }, out var refusal) is not null
            ? new MachineFinding(Name, "affinity") { Detail = $"{Number(Environment.ProcessorCount)} for this process" }
            : new MachineFinding(Name, "none", FindingState.Reduced) { Detail = refusal };
    }

    // Its own value is written again: a higher one could not be taken back.
    private static MachineFinding OutOfMemory()
    {
        const string Name = "out-of-memory order";
        if (!OperatingSystem.IsLinux())
        {
            return new MachineFinding(Name, "none", FindingState.Reduced) { Detail = "only Linux has one" };
        }

        try
        {
            OomScoreAdjuster.Apply(Environment.ProcessId, OomScoreAdjuster.OfThisProcess);
            return new MachineFinding(Name, "oom_score_adj");
        }
        catch (LaunchException refused)
        {
            return new MachineFinding(Name, "none", FindingState.Reduced) { Detail = refused.Message };
        }
    }

    /// <returns><c>null</c> if the options cannot be had.</returns>
    private WorkerLimits? Try(ProbedOptions options, out string? refusal)
    {
        try
        {
            var limits = launcher.Prepare(options);
            limits.Group?.Release();
            refusal = null;
            return limits;
        }
        catch (LaunchException refused)
        {
            refusal = refused.Message;
            return null;
        }
    }

    // A machine may have some controllers in version 1 and others in version 2.
    private static string Level(ControlGroupPlan plan, string controller) =>
        plan.Homes.Any(home => home.IsUnified && home.Resources.Contains(controller)) ? "control group, version 2" : "control group, version 1";

    private static string Number(long number) => number.ToString("N0", CultureInfo.InvariantCulture);
}
