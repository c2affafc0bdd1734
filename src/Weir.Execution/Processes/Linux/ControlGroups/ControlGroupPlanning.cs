namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>Determines which control groups a pool's options request and this machine can provide.</summary>
/// <param name="options">Validated.</param>
/// <param name="hierarchies">The mounted trees.</param>
/// <param name="isDelegated">Whether a group was delegated to this process, so that it may make groups in it.</param>
internal sealed class ControlGroupPlanning(
    ILimitOptions options, IReadOnlyList<ControlGroupHierarchy> hierarchies, Func<ControlGroupHierarchy, string, bool> isDelegated)
{
    private readonly List<ControlGroupHome> _homes = [];
    private readonly List<string> _reasons = [];

    /// <summary>What the options request and this machine cannot provide, as text.</summary>
    public List<string> Refusals { get; } = [];

    // Only a control group can limit these.
    private IEnumerable<(string Resource, string Option)> Asked =>
    [
        .. options.ProcessLimit is { } processes ? [("pids", $"ProcessLimit ({processes})")] : Array.Empty<(string, string)>(),
        .. options.CpuLimit is { } cpus ? [("cpu", FormattableString.Invariant($"CpuLimit ({cpus})"))] : Array.Empty<(string, string)>(),
    ];

    private bool Insists => options.ProcessLimit is not null || options.CpuLimit is not null || options.ControlGroup == ControlGroupUse.Always;

    /// <returns><c>null</c> for no groups.</returns>
    public ControlGroupPlan? Run()
    {
        if (options.ControlGroup == ControlGroupUse.Never || !(Insists || hierarchies.Any(one => isDelegated(one, one.Folder))))
        {
            return null;
        }

        // 1. Use the unified tree, which can kill a group, and the trees of single resources where it does not have them. Memory is limited
        //    without groups too, only less completely.
        var wanted = Asked.Select(static one => one.Resource).Concat(options.MemoryLimitBytes is null ? [] : ["memory"]).ToArray();
        var separate = wanted.Where(name => hierarchies.Any(one => one.Resources.Contains(name))).ToArray();
        Open(static one => one.IsUnified, [.. wanted.Except(separate)]);
        Open(one => one.Resources.Intersect(separate).Any(), separate);

        // 2. Without any of them, use a tree that at least lists the processes of a worker. The unified tree may be there and not enable memory,
        //    because the host itself is a member of its group.
        if (_homes.Count == 0 && wanted.Contains("memory"))
        {
            Open(static one => one.IsUnified, [.. wanted.Except(separate).Except(["memory"])]);
        }

        if (_homes.Count == 0)
        {
            Open(static one => one.Resources.Contains("pids"), []);
        }

        // 3. Report an error for each requested resource that is missing.
        var held = _homes.SelectMany(static home => home.Resources).ToHashSet();
        Refuse(held);
        return _homes.Count == 0 ? null : new ControlGroupPlan(_homes)
        {
            MemoryBytes = held.Contains("memory") ? options.MemoryLimitBytes : null,
            Processes = held.Contains("pids") ? options.ProcessLimit : null,
            Cpus = held.Contains("cpu") ? options.CpuLimit : null,
        };
    }

    private void Open(Func<ControlGroupHierarchy, bool> isMeant, string[] resources)
    {
        foreach (var hierarchy in hierarchies.Where(isMeant))
        {
            var own = hierarchy.IsUnified ? resources : [.. hierarchy.Resources.Intersect(resources)];
            if (ControlGroupSearch.Open(hierarchy, own, Insists ? null : isDelegated, _reasons) is { } home)
            {
                _homes.Add(home);
            }
        }
    }

    private void Refuse(HashSet<string> held)
    {
        var why = _reasons.Count > 0 ? string.Join("; ", _reasons.Distinct()) : "no hierarchy of control groups with this controller is mounted";
        foreach (var (_, option) in Asked.Where(one => !held.Contains(one.Resource)))
        {
            Refusals.Add($"{option} could not be applied: {why}. Remove it, or set BestEffort to run without it.");
        }

        if (_homes.Count == 0 && options.ControlGroup == ControlGroupUse.Always)
        {
            Refusals.Add($"ControlGroup (Always) could not be applied: {why}. Set it to WhereDelegated, or set BestEffort to run without it.");
        }
    }
}
