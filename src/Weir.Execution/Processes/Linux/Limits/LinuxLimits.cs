using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Threading;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>Applies a worker's limits from outside and reads them back.</summary>
internal static class LinuxLimits
{
    /// <summary>Creates the control group of a worker, before the worker exists.</summary>
    /// <returns><c>null</c> for none.</returns>
    /// <exception cref="LaunchException">It cannot be created, and best effort is not requested.</exception>
    public static ControlGroupLeaf? MakeGroup(WorkerLimits limits, List<string> missing)
    {
        ControlGroupLeaf? group = null;
        if (limits.Group is ControlGroupPlan plan)
        {
            Holds(() => group = ControlGroupLeaf.Create(plan), limits, missing);
        }

        return group;
    }

    /// <returns>The limits that were applied.</returns>
    /// <exception cref="LaunchException">A limit could not be applied: no worker is better than one without its limit, unless best effort is requested.</exception>
    public static AppliedLimits Apply(int pid, WorkerLimits limits, ControlGroupLeaf? group)
    {
        var missing = new List<string>();
        ResourceLimit.ForbidCore(pid);
        var plan = group is not null && Holds(() => group.Enter(pid), limits, missing) ? limits.Group as ControlGroupPlan : null;
        return new AppliedLimits
        {
            ControlGroup = plan is null ? null : group!.Folder,
            EndsEverything = plan is not null && group!.CanKill,
            GroupMemoryBytes = plan?.MemoryBytes,
            Processes = plan?.Processes,
            Cpus = plan?.Cpus,
            MemoryBytes = limits.MemoryBytes is { } bytes && Holds(() => ResourceLimit.ApplyMemory(pid, bytes), limits, missing) ? bytes : null,
            Processors = limits.Processors is { } processors && Holds(() => Affinity.Apply(pid, processors), limits, missing) ? processors : null,
            Nice = limits.Nice is { } nice && Holds(() => NiceLevel.Apply(pid, nice), limits, missing) ? nice : null,
            OomScoreAdjustment = limits.OomScore is { } score && Holds(() => OomScoreAdjuster.Apply(pid, score), limits, missing) ? score : null,
            Missing = missing,
        };
    }

    /// <summary>Tries the limits on a separate thread that ends afterwards: better refused when the application starts than at its first call.</summary>
    /// <returns>The limits that could not be applied, as text.</returns>
    public static IReadOnlyList<string> Probe(WorkerLimits limits)
    {
        var refusals = new List<string>();
        var thread = Callbacks.CreateThread("Weir limit probe", refusals, _ =>
        {
            Try(limits.Group is ControlGroupPlan plan ? () => ControlGroupLeaf.Create(plan).TryRemove() : null);
            Try(limits.MemoryBytes is { } bytes ? () => ResourceLimit.ProbeMemory(bytes) : null);
            Try(limits.Processors is { } processors ? () => Affinity.Probe(processors) : null);
            Try(limits.Nice is { } nice ? () => NiceLevel.Probe(nice) : null);
        }, static (refusals, failure) => refusals.Add(failure.Message));
        thread.UnsafeStart();
        thread.Join();
        return refusals;

        void Try(Action? probe)
        {
            try
            {
                probe?.Invoke();
            }
            catch (LaunchException refused)
            {
                refusals.Add(refused.Message);
            }
        }
    }

    private static bool Holds(Action apply, WorkerLimits limits, List<string> missing)
    {
        try
        {
            apply();
            return true;
        }
        catch (LaunchException refused) when (limits.BestEffort)
        {
            missing.Add(refused.Message);
            return false;
        }
    }
}
