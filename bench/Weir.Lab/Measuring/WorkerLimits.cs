using System.Globalization;

namespace Weir.Lab.Measuring;

/// <summary>What the kernel holds a process to, by its own word.</summary>
internal sealed class WorkerLimits(int pid)
{
    private readonly string _folder = $"/proc/{pid.ToString(CultureInfo.InvariantCulture)}";

    /// <summary>RLIMIT_DATA in bytes, where the soft and the hard limit are one; -1 otherwise.</summary>
    public double DataBytes
    {
        get
        {
            var line = Line($"{_folder}/limits", "Max data size");
            var fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return fields.Length > 4 && fields[3] == fields[4] && double.TryParse(fields[3], CultureInfo.InvariantCulture, out var bytes) ? bytes : -1;
        }
    }

    /// <summary>The nice level of the thread that is farthest from <paramref name="expected"/>: there must be none that runs otherwise.</summary>
    public int Nice(int expected) => Threads.Select(NiceOf).OfType<int>().MaxBy(nice => Math.Abs(nice - expected));

    /// <summary>The processors that threads may run on, where all may run on the same ones; a word that says otherwise, if not.</summary>
    public string Processors => Threads.Select(task => Line($"{task}/status", "Cpus_allowed_list:").Split('\t')[^1]).Where(list => list.Length > 0).Distinct().ToArray() is [var one] ? one : "differ";

    public int OomScoreAdjustment => int.Parse(ProcFile.Text($"{_folder}/oom_score_adj"), NumberStyles.AllowLeadingSign | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture);

    /// <summary>The names of the variables it was started with.</summary>
    public IReadOnlyList<string> Variables =>
        [.. ProcFile.Text($"{_folder}/environ").Split('\0', StringSplitOptions.RemoveEmptyEntries).Select(pair => pair.Split('=')[0])];

    public string Folder => new FileInfo($"{_folder}/cwd").LinkTarget ?? "";

    /// <summary>The most processes and threads of its control group; -1 when there is no such limit.</summary>
    public double Processes => Number(Group("pids", "pids.max", "pids.max"));

    /// <summary>The most memory of its control group in bytes; -1 when there is no such limit.</summary>
    public double GroupBytes => Number(Group("memory", "memory.max", "memory.limit_in_bytes"));

    /// <summary>How many processors' time its control group may use; -1 when there is no such limit.</summary>
    public double Cpus
    {
        get
        {
            // Version 2 has both in one file.
            var quota = Group("cpu", "cpu.max", "cpu.cfs_quota_us").Split(' ');
            return Number(quota[0]) / (quota.Length > 1 ? Number(quota[1]) : Number(Group("cpu", "cpu.max", "cpu.cfs_period_us")));
        }
    }

    private IEnumerable<string> Threads => Directory.GetDirectories($"{_folder}/task");

    /// <summary>Whether this process may make control groups that bound processes and time.</summary>
    public static bool CanMakeGroups()
    {
        var own = new WorkerLimits(Environment.ProcessId);
        return own.GroupFolder("pids") is { } pids && own.GroupFolder("cpu") is { } cpu && IsWritable(pids) && IsWritable(cpu);
    }

    private static bool IsWritable(string folder)
    {
        var probe = Path.Combine(folder, $"weir-lab-{Environment.ProcessId}");
        try
        {
            Directory.CreateDirectory(probe);
            Directory.Delete(probe);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>The nice level in the text of a thread's <c>stat</c> file; nothing for a thread that ended after the folder was read.</summary>
    internal static int? NiceIn(string stat) =>
        // The 19th field; the second is the name in brackets and may hold anything.
        stat.LastIndexOf(')') is > 0 and var name ? int.Parse(stat[(name + 2)..].Split(' ')[16], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture) : null;

    private static int? NiceOf(string task) => NiceIn(ProcFile.Text($"{task}/stat"));

    private static double Number(string text) => double.TryParse(text.Trim(), CultureInfo.InvariantCulture, out var number) ? number : -1;

    private static string Line(string path, string start) =>
        ProcFile.Text(path).Split('\n').FirstOrDefault(line => line.StartsWith(start, StringComparison.Ordinal)) ?? "";

    private string Group(string controller, string unified, string legacy)
    {
        var folder = GroupFolder(controller);
        return folder is null ? "" : ProcFile.Text(Path.Combine(folder, IsUnified(controller) ? unified : legacy)).Trim();
    }

    private bool IsUnified(string controller) => !Groups.Any(line => line.Split(':')[1].Split(',').Contains(controller));

    // Where the group of a controller lies; null when the machine does not have it.
    private string? GroupFolder(string controller)
    {
        var legacy = Groups.FirstOrDefault(line => line.Split(':')[1].Split(',').Contains(controller));
        var folder = legacy is not null
            ? $"/sys/fs/cgroup/{legacy.Split(':')[1]}{legacy.Split(':', 3)[2]}"
            : $"/sys/fs/cgroup{Groups.FirstOrDefault(line => line.StartsWith("0::", StringComparison.Ordinal))?[3..]}";
        return Directory.Exists(folder) && (legacy is not null || ProcFile.Text(Path.Combine(folder, "cgroup.controllers")).Contains(controller, StringComparison.Ordinal))
            ? folder
            : null;
    }

    private IEnumerable<string> Groups => ProcFile.Text($"{_folder}/cgroup").Split('\n', StringSplitOptions.RemoveEmptyEntries);
}
