namespace Weir.IntegrationTests.Processes;

/// <summary>What /proc says about processes; the tests' own witness, apart from what they test.</summary>
internal static class ProcFiles
{
    public static int OwnDescriptors() => Directory.GetFileSystemEntries("/proc/self/fd").Length;

    /// <summary>What workers are held by: pipes, sockets, regions, pidfds. Not the assemblies that are loaded as they are needed.</summary>
    public static List<string> WorkerDescriptors() =>
    [
        .. Directory.GetFileSystemEntries("/proc/self/fd").Select(static path => new FileInfo(path).LinkTarget ?? "")
            .Where(static target => target.StartsWith("pipe:", StringComparison.Ordinal) || target.StartsWith("socket:", StringComparison.Ordinal)
                || target.StartsWith("/memfd:", StringComparison.Ordinal) || target.Contains("pidfd", StringComparison.Ordinal)),
    ];

    /// <summary>State letter, parent and group of a process; null when it is gone.</summary>
    public static (char State, int Parent, int Group)? Stat(int pid)
    {
        try
        {
            var text = File.ReadAllText($"/proc/{pid}/stat");
            var fields = text[(text.LastIndexOf(')') + 2)..].Split(' ');
            return (fields[0][0], int.Parse(fields[1]), int.Parse(fields[2]));
        }
        catch (IOException)
        {
            return null;
        }
    }

    public static bool IsRunning(int pid) => Stat(pid) is { State: not 'Z' and not 'X' };

    /// <summary>Whether a process has used more CPU than starting costs: its code loops. That it was sent a call is not enough to know that it runs.</summary>
    public static bool IsBurning(int pid) => ProcessorTime(pid) > TimeSpan.FromMilliseconds(400);

    /// <summary>The processor time that a process has used; zero when it is gone.</summary>
    public static TimeSpan ProcessorTime(int pid)
    {
        try
        {
            using var process = System.Diagnostics.Process.GetProcessById(pid);
            return process.TotalProcessorTime;
        }
        catch (Exception error) when (error is ArgumentException or InvalidOperationException)
        {
            return TimeSpan.Zero;
        }
    }

    /// <summary>The children of this process that ended and were not reaped.</summary>
    public static List<int> Zombies()
    {
        var self = Environment.ProcessId;
        return [.. AllPids().Where(pid => Stat(pid) is { State: 'Z' } stat && stat.Parent == self)];
    }

    /// <summary>How many processes below this one have an argument.</summary>
    public static int Children(string argument)
    {
        var self = Environment.ProcessId;
        return AllPids().Count(pid => Stat(pid) is { State: not 'Z' } stat && stat.Parent == self && Arguments(pid).Contains(argument, StringComparison.Ordinal));
    }

    /// <summary>How many threads of this process have a name that begins so; the kernel keeps 15 bytes.</summary>
    public static int OwnThreads(string name) => Directory.GetDirectories("/proc/self/task").Count(task =>
    {
        try
        {
            return File.ReadAllText(task + "/comm").StartsWith(name, StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return false;
        }
    });

    /// <summary>The state letter of each thread of a process, as <c>R</c> for one that runs or could run.</summary>
    public static List<char> ThreadStates(int pid)
    {
        var states = new List<char>();
        foreach (var task in Directory.GetDirectories($"/proc/{pid}/task"))
        {
            try
            {
                var text = File.ReadAllText(task + "/stat");
                states.Add(text[text.LastIndexOf(')') + 2]);
            }
            catch (IOException)
            {
                // It has just ended.
            }
        }

        return states;
    }

    /// <summary>Which memory files of a name a process holds by a descriptor or maps: the kernel's numbers of them. Empty when it is gone.</summary>
    public static HashSet<string> MemoryFiles(int pid, string name)
    {
        try
        {
            var mapped = File.ReadLines($"/proc/{pid}/maps").Where(line => line.Contains($"/memfd:{name} ", StringComparison.Ordinal)).Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[4]);
            var held = Directory.GetFiles($"/proc/{pid}/fd").Where(file => new FileInfo(file).LinkTarget == $"/memfd:{name} (deleted)")
                .SelectMany(file => File.ReadLines($"/proc/{pid}/fdinfo/{Path.GetFileName(file)}").Where(static line => line.StartsWith("ino:", StringComparison.Ordinal)).Select(static line => line[4..].Trim()));
            return [.. mapped, .. held];
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>The processes of this machine that were started with a variable, as <c>NAME=value</c>.</summary>
    public static List<int> WithEnvironment(string variable) => [.. AllPids().Where(pid => IsRunning(pid) && EnvironmentOf(pid).Contains(variable, StringComparison.Ordinal))];

    private static string EnvironmentOf(int pid)
    {
        try
        {
            return File.ReadAllText($"/proc/{pid}/environ");
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    /// <summary>The arguments of a process, each ended by a zero character; empty when it is gone.</summary>
    public static string Arguments(int pid)
    {
        try
        {
            return File.ReadAllText($"/proc/{pid}/cmdline");
        }
        catch (IOException)
        {
            return "";
        }
    }

    public static IEnumerable<int> AllPids() =>
        Directory.GetDirectories("/proc").Select(Path.GetFileName).Where(name => int.TryParse(name, out _)).Select(name => int.Parse(name!));

    /// <summary>Waits until something holds, looking again every few milliseconds; false after the timeout.</summary>
    public static async Task<bool> EventuallyAsync(Func<bool> holds, TimeSpan timeout)
    {
        var start = TimeProvider.System.GetTimestamp();
        while (!holds())
        {
            if (TimeProvider.System.GetElapsedTime(start) > timeout)
            {
                return false;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(5), TimeProvider.System);
        }

        return true;
    }
}
