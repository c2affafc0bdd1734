using System.Globalization;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>The group of one worker and of everything it starts, in each tree that the plan uses. Removed when the worker is gone.</summary>
internal sealed class ControlGroupLeaf
{
    // 1, 2, 4, … ms between attempts, two seconds in all: a killed process needs a moment to end.
    private const int MostLooks = 11;

    private static int _last;

    private readonly IReadOnlyList<(ControlGroupHome Home, string Folder)> _folders;

    private ControlGroupLeaf(IReadOnlyList<(ControlGroupHome Home, string Folder)> folders) => _folders = folders;

    /// <summary>Its folder in the tree that can kill a group, or else in the first tree.</summary>
    public string Folder => (_folders.FirstOrDefault(static one => one.Home.IsUnified) is { Home: not null } unified ? unified : _folders[0]).Folder;

    /// <summary>Its folder in every tree.</summary>
    public IEnumerable<string> Folders => _folders.Select(static one => one.Folder);

    /// <summary>Whether the kernel kills the whole group at once, so that no process in it can escape by starting others during the kill.</summary>
    public bool CanKill => ControlGroupFolder.CanKill(Folder);

    /// <summary>Creates the group with its limits, which are read back. No process is in it yet.</summary>
    /// <exception cref="LaunchException">A limit could not be applied; nothing is left behind.</exception>
    public static ControlGroupLeaf Create(ControlGroupPlan plan)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"w{Interlocked.Increment(ref _last)}");
        var leaf = new ControlGroupLeaf([.. plan.Homes.Select(home => (home, $"{home.Folder}/{name}"))]);
        try
        {
            foreach (var (home, folder) in leaf._folders)
            {
                // Another pool may have removed the home folder when it drained.
                if (!Directory.Exists(home.Folder) && home.Prepare() is { } refusal)
                {
                    throw Refused(folder, refusal);
                }

                Directory.CreateDirectory(folder);
                ControlGroupBounds.Apply(plan, home, folder);
            }

            return leaf;
        }
        catch (Exception failure)
        {
            leaf.TryRemove();
            throw failure is IOException or UnauthorizedAccessException ? Refused(leaf.Folder, failure.Message) : failure;
        }
    }

    /// <summary>Moves a worker into the group, before it has started anything.</summary>
    /// <exception cref="LaunchException">It could not be moved into the group of every tree.</exception>
    public void Enter(int pid)
    {
        foreach (var (_, folder) in _folders)
        {
            if (ControlGroupFolder.Enter(folder, pid) is { } refusal)
            {
                throw Refused(folder, refusal);
            }
        }
    }

    /// <summary>Ends all processes in it with SIGKILL; does not wait until they have ended.</summary>
    public void Kill() => ControlGroupFolder.Kill(Folder);

    /// <summary>Removes it if no process is in it.</summary>
    public bool TryRemove() => _folders.All(static one => ControlGroupFolder.TryRemove(one.Folder));

    /// <summary>Ends all processes left in it and removes it. If that fails, the next host that starts here removes it.</summary>
    public async Task EndAsync()
    {
        for (var look = 0; look < MostLooks && !TryRemove(); look++)
        {
            Kill();
            await Task.Delay(TimeSpan.FromMilliseconds(1 << look), TimeProvider.System).ConfigureAwait(false);
        }
    }

    private static LaunchException Refused(string folder, string why) => new(
        WeirCodes.LimitNotApplied, $"The control group {folder} could not be used: {why}. Set ControlGroup to Never, or set BestEffort to run without it.");
}
