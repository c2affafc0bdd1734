using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>The folder of one tree that holds the groups of this host's workers, one each. Any thread.</summary>
/// <param name="hierarchy">The tree.</param>
/// <param name="above">The folder of the group that contains it.</param>
/// <param name="name">Its own name.</param>
/// <param name="resources">The resources it is to control: <c>memory</c>, <c>pids</c>, <c>cpu</c>.</param>
internal sealed class ControlGroupHome(ControlGroupHierarchy hierarchy, string above, string name, IReadOnlyList<string> resources)
{
    public bool IsUnified => hierarchy.IsUnified;

    public string Folder { get; } = $"{above}/{name}";

    public IReadOnlyList<string> Resources => resources;

    /// <summary>Creates it, and enables its resources for the groups in it. It may exist already.</summary>
    /// <returns>Why it cannot be used; <c>null</c> when it can.</returns>
    public string? Prepare()
    {
        try
        {
            Directory.CreateDirectory(Folder);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return $"no group can be created in {above} ({failure.Message}); systemd gives a service its group with Delegate=yes";
        }

        return IsUnified ? Enable(above) ?? Enable(Folder) : null;
    }

    /// <summary>Removes it if no group is left in it.</summary>
    public void Remove() => ControlGroupFolder.TryRemove(Folder);

    // Version 2: a group has the resources that its parent group enables.
    private string? Enable(string folder)
    {
        foreach (var resource in resources)
        {
            if (!Words(folder + "/cgroup.controllers").Contains(resource))
            {
                return $"{folder} has no controller '{resource}'";
            }

            if (!Words(folder + "/cgroup.subtree_control").Contains(resource)
                && KernelFile.Write(folder + "/cgroup.subtree_control", "+" + resource) is { } refusal)
            {
                return $"{folder} cannot enable its controller '{resource}' for its subgroups ({refusal}); "
                    + "a group that contains processes cannot do that, so start the host in a group of its own below it (systemd: Delegate=yes and DelegateSubgroup=host)";
            }
        }

        return null;

        static string[] Words(string file) => KernelFile.Read(file)?.Split(' ', StringSplitOptions.RemoveEmptyEntries) ?? [];
    }
}
