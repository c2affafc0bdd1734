namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>Finds the group in one tree in which this host may make groups, and removes the groups that a dead host left there.</summary>
internal static class ControlGroupSearch
{
    // When a host was killed its workers ended too, but processes that they had started may still run.
    private static readonly TimeSpan OrphanPatience = TimeSpan.FromMilliseconds(100);

    /// <param name="hierarchy">The tree.</param>
    /// <param name="resources">What the groups are to control.</param>
    /// <param name="isDelegated">Whether a group was delegated to this process; with <c>null</c> the right to write is enough.</param>
    /// <param name="reasons">Receives the reason why a group cannot be used.</param>
    /// <returns><c>null</c> when there is none.</returns>
    public static ControlGroupHome? Open(
        ControlGroupHierarchy hierarchy, IReadOnlyList<string> resources, Func<ControlGroupHierarchy, string, bool>? isDelegated, List<string> reasons)
    {
        // The host's own group; or its parent, because a group with processes in it cannot enable resources for groups below it.
        string[] places = hierarchy.IsUnified && hierarchy.Folder != hierarchy.Root ? [hierarchy.Folder, Path.GetDirectoryName(hierarchy.Folder)!] : [hierarchy.Folder];
        foreach (var place in places.Where(place => isDelegated?.Invoke(hierarchy, place) ?? true))
        {
            RemoveOrphans(place);
            var home = new ControlGroupHome(hierarchy, place, ControlGroupName.OfThisProcess.ToString(), resources);
            if (home.Prepare() is not { } refusal)
            {
                return home;
            }

            reasons.Add(refusal);
            home.Remove();
        }

        return null;
    }

    private static void RemoveOrphans(string place)
    {
        try
        {
            foreach (var home in Directory.EnumerateDirectories(place, "weir-*").Where(static path => ControlGroupName.Parse(Path.GetFileName(path)) is { IsOrphan: true }))
            {
                foreach (var leaf in Directory.EnumerateDirectories(home))
                {
                    ControlGroupFolder.Kill(leaf);
                    SpinWait.SpinUntil(() => ControlGroupFolder.TryRemove(leaf), OrphanPatience);
                }

                ControlGroupFolder.TryRemove(home);
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // Another host is removing it, or this host may not; the next host tries again.
        }
    }
}
