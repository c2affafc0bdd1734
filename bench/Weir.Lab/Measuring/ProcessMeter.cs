using System.Globalization;

namespace Weir.Lab.Measuring;

/// <summary>What the kernel knows of a process: the same for every language.</summary>
internal sealed class ProcessMeter(int pid)
{
    private const double TicksPerSecond = 100; // USER_HZ, fixed by the kernel's interface

    private readonly string _folder = $"/proc/{pid.ToString(CultureInfo.InvariantCulture)}";

    public int Pid { get; } = pid;

    /// <summary>The most memory it ever had resident since <see cref="ForgetPeak"/>, in bytes.</summary>
    public long PeakResident => ProcFile.Field($"{_folder}/status", "VmHWM") * 1024;

    /// <summary>
    /// Resident memory that no file is behind, in bytes: what the process itself needs. Pages of mapped files are left out, which every process that
    /// maps the file shares; pages of the runtime's own code, which it maps from memory, count.
    /// </summary>
    public long ResidentWithoutFiles
    {
        get
        {
            var status = ProcFile.Text($"{_folder}/status");
            return (ProcFile.FieldOf(status, "RssAnon") + ProcFile.FieldOf(status, "RssShmem")) * 1024;
        }
    }

    public long Resident => ProcFile.Field($"{_folder}/status", "VmRSS") * 1024;

    /// <summary>Memory that no other process can use and that would have to be written to be dropped: what one more process costs, in bytes.</summary>
    public long PrivateDirty => ProcFile.Field($"{_folder}/smaps_rollup", "Private_Dirty") * 1024;

    /// <summary>Resident memory, each page divided by the number of processes that map it: the sum over all of them counts a page once. In bytes.</summary>
    public long ProportionalShare => ProcFile.Field($"{_folder}/smaps_rollup", "Pss") * 1024;

    public long Threads => ProcFile.Field($"{_folder}/status", "Threads");

    /// <summary>How often threads that still live gave up the processor to wait: wake-ups, seen from the other end.</summary>
    public long Waits => Tasks.Sum(task => ProcFile.Field($"{task}/status", "voluntary_ctxt_switches"));

    /// <summary>Processor time, user and kernel, in seconds; resolution 10 ms.</summary>
    public double CpuSeconds => Stat(13) is { Length: > 0 } stat ? (Number(stat[11]) + Number(stat[12])) / TicksPerSecond : 0;

    /// <summary>When it was started, in seconds since the machine was; resolution 10 ms.</summary>
    public double StartedSeconds => Stat(20) is { Length: > 0 } stat ? Number(stat[19]) / TicksPerSecond : 0;

    /// <summary>The same of this process, of its children, and of the children that it has reaped.</summary>
    public double CpuSecondsOfAll =>
        (Stat(15) is { Length: > 0 } stat ? stat[11..15].Sum(Number) / TicksPerSecond : 0) + Children.Sum(pid => new ProcessMeter(pid).CpuSeconds);

    /// <summary>The program that it runs, and its arguments.</summary>
    public IReadOnlyList<string> CommandLine => ProcFile.Text($"{_folder}/cmdline").Split('\0') is [.. var words, _] ? words : [];

    /// <summary>The control groups it is in, as the kernel lists them.</summary>
    public string Groups => ProcFile.Text($"{_folder}/cgroup");

    /// <summary><see cref="PrivateDirty"/> of this process and of its children, in bytes.</summary>
    public long PrivateDirtyOfAll => PrivateDirty + Children.Sum(pid => new ProcessMeter(pid).PrivateDirty);

    /// <summary>The same of each thread.</summary>
    public IReadOnlyDictionary<string, long> WaitsByThread => Tasks.ToDictionary(task => task, task => ProcFile.Field($"{task}/status", "voluntary_ctxt_switches"));

    /// <summary>The same of the threads whose names begin so, in any case.</summary>
    public long WaitsOf(string threads) => Named(threads).Sum(task => ProcFile.Field($"{task}/status", "voluntary_ctxt_switches"));

    /// <summary>The processor time of the threads whose names begin so, in any case; in seconds, to the nanosecond.</summary>
    public double CpuSecondsOf(string threads) =>
        Named(threads).Sum(task => ProcFile.Text($"{task}/schedstat").Split(' ') is [{ Length: > 0 } ran, ..] ? Number(ran) / 1e9 : 0);

    /// <summary>How many threads have names that begin so, in any case.</summary>
    public int ThreadsOf(string threads) => Named(threads).Count();

    /// <summary>Processes that its threads have started and that are not yet reaped.</summary>
    public IReadOnlyList<int> Children =>
    [
        .. Tasks.SelectMany(task => ProcFile.Text($"{task}/children").Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Select(text => (int)Number(text)),
    ];

    /// <summary>Whether it runs: a process that has ended and waits to be reaped does not.</summary>
    public bool IsAlive
    {
        get
        {
            var text = ProcFile.Text($"{_folder}/stat");
            var end = text.LastIndexOf(')');
            return end >= 0 && end + 2 < text.Length && text[end + 2] is not ('Z' or 'X');
        }
    }

    private IEnumerable<string> Named(string threads) =>
        Tasks.Where(task => ProcFile.Text($"{task}/comm").StartsWith(threads, StringComparison.OrdinalIgnoreCase));

    private IEnumerable<string> Tasks
    {
        get
        {
            try
            {
                return Directory.GetDirectories($"{_folder}/task");
            }
            catch (IOException)
            {
                return [];
            }
        }
    }

    /// <summary>Begins a new peak of resident memory from what is resident now.</summary>
    public void ForgetPeak() => File.WriteAllText($"{_folder}/clear_refs", "5");

    // The fields behind the name, which stands in brackets and may hold anything: utime and stime are the 12th and 13th, those of
    // children that were waited for follow. Nothing when there are fewer.
    private string[] Stat(int least)
    {
        var text = ProcFile.Text($"{_folder}/stat");
        var fields = text[(text.LastIndexOf(')') + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return fields.Length < least ? [] : fields;
    }

    private static long Number(string text) => long.Parse(text, NumberStyles.None, CultureInfo.InvariantCulture);
}
