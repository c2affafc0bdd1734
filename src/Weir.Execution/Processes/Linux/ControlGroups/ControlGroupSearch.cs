namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>Finds the place in one tree where this host may make groups, and clears away what a dead host left there.</summary>
internal static class ControlGroupSearch
{
    // A host that was killed took its workers with it; what they had started may still live.
    private static readonly TimeSpan OrphanPatience = TimeSpan.FromMilliseconds(100);

    /// <param name="hierarchy">The tree.</param>
    /// <param name="resources">What the groups are to control.</param>
    /// <param name="isDelegated">Whether a group was given to us; <c>null</c> takes the right to write for it.</param>
    /// <param name="reasons">Gets why a place does not serve.</param>
    /// <returns><c>null</c> when there is none.</returns>
    public static ControlGroupHome? Open(
        ControlGroupHierarchy hierarchy, IReadOnlyList<string> resources, Func<ControlGroupHierarchy, string, bool>? isDelegated, List<string> reasons)
    {
        // Its own group; or, as a group with processes in it hands nothing down, the one above.
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
            // Somebody else clears it away, or it is not ours; the next host looks again.
        }
    }
}
