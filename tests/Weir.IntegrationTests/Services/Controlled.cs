using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Weir.IntegrationTests.Services;

/// <summary>A worker that says of itself what its kernel and its runtime say to it.</summary>
[Service, Isolated("controlled")]
public sealed partial class Controlled : IWarmUp
{
    // Statics, so only of use to a worker that lives on.
    private static readonly List<byte[]> Kept = [];
    private static int _warmUps;
    private static int _running;

    private const int DataLimit = 2;
    private const int OneThread = 0;

    /// <summary>The nice level of every thread of this process, each asked for by its own number.</summary>
    public int[] Priorities() => [.. Threads().Select(thread => getpriority(OneThread, thread))];

    public unsafe long MemoryLimit()
    {
        var limit = stackalloc ulong[2];
        return getrlimit(DataLimit, limit) == 0 && limit[0] == limit[1] ? (long)limit[0] : -1;
    }

    /// <summary>The processors each thread may run on, the distinct answers only.</summary>
    public string[] Processors() => [.. Threads().Select(Affinity).Distinct()];

    public int ProcessorCount() => Environment.ProcessorCount;

    public int OomScore() => int.Parse(File.ReadAllText("/proc/self/oom_score_adj"), CultureInfo.InvariantCulture);

    public string Variable(string name) => Environment.GetEnvironmentVariable(name) ?? "(none)";

    public string[] Variables() => [.. Environment.GetEnvironmentVariables().Keys.Cast<string>().Order()];

    public string Folder() => Directory.GetCurrentDirectory();

    /// <summary>How much the collector may take, by its own account.</summary>
    public long HeapLimit() => GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;

    /// <summary>The groups of this process, as the kernel lists them.</summary>
    public string[] Groups() => File.ReadAllLines("/proc/self/cgroup");

    /// <summary>Starts a process that leaves the process group and the session, and whose parent ends at once: it cannot be found from the worker.</summary>
    public int StartEscapee()
    {
        using var shell = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "setsid sh -c 'sleep 300 & echo $!' </dev/null"]) { RedirectStandardOutput = true })!;
        var escapee = int.Parse(shell.StandardOutput.ReadLine()!, CultureInfo.InvariantCulture);
        shell.WaitForExit();
        return escapee;
    }

    /// <summary>Starts processes until the kernel has had enough, and gives their number.</summary>
    public int StartMany()
    {
        var started = new List<Process>();
        try
        {
            while (started.Count < 200)
            {
                started.Add(Process.Start("/bin/sleep", "300"));
            }
        }
        catch (Exception refused) when (refused is System.ComponentModel.Win32Exception or OutOfMemoryException)
        {
        }

        started.ForEach(process => process.Kill());
        return started.Count;
    }

    /// <summary>Computes for a while and gives the seconds of processor time that it got for each second.</summary>
    public double Burn(int milliseconds)
    {
        var watch = Stopwatch.StartNew();
        var before = Environment.CpuUsage.TotalTime;
        while (watch.ElapsedMilliseconds < milliseconds)
        {
        }

        return (Environment.CpuUsage.TotalTime - before) / watch.Elapsed;
    }

    /// <summary>The same, and a file says that it has begun.</summary>
    public double BurnSeen(string path, int milliseconds)
    {
        File.WriteAllText(path, "");
        return Burn(milliseconds);
    }

    /// <summary>Computes without an end; a file says that it has begun.</summary>
    public void Hang(string path)
    {
        File.WriteAllText(path, "");
        while (path.Length > 0)
        {
        }
    }

    public void Crash() => Environment.FailFast("as asked");

    /// <summary>Prints a line of a given length, and the words at its end.</summary>
    public int Print(int length, string words)
    {
        Console.WriteLine(new string('-', length) + words);
        return length;
    }

    public bool ServerCollector() => System.Runtime.GCSettings.IsServerGC;

    public int ProcessId() => Environment.ProcessId;

    public int WarmUps() => _warmUps;

    /// <summary>Leaks so many bytes, and touches each region of them.</summary>
    public int Leak(int megabytes)
    {
        var leaked = new byte[megabytes << 20];
        for (var i = 0; i < leaked.Length; i += 4096)
        {
            leaked[i] = 1;
        }

        Kept.Add(leaked);
        return Environment.ProcessId;
    }

    /// <summary>Waits without a thread, and gives the most calls that ran at a time when it ended.</summary>
    public async Task<int> Wait(int milliseconds, CancellationToken cancellationToken)
    {
        var running = Interlocked.Increment(ref _running);
        await Task.Delay(milliseconds, cancellationToken);
        running = Math.Max(running, Volatile.Read(ref _running));
        Interlocked.Decrement(ref _running);
        return running;
    }

    /// <summary>Waits at a checkpoint of the test, and gives its process.</summary>
    public async Task<int> Hold(string checkpoint, CancellationToken cancellationToken)
    {
        await Checkpoint.PassAsync(checkpoint, cancellationToken);
        return Environment.ProcessId;
    }

    public async ValueTask WarmUpAsync(CancellationToken cancellationToken)
    {
        await Task.Yield();
        _warmUps++;
        if (Environment.GetEnvironmentVariable("WEIR_TEST_COLD") is { } reason)
        {
            await (reason == "hangs" ? Task.Delay(Timeout.Infinite, cancellationToken) : Task.CompletedTask);
            throw new InvalidOperationException(reason);
        }
    }

    private static IEnumerable<int> Threads() =>
        Directory.EnumerateDirectories("/proc/self/task").Select(path => int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture));

    private static unsafe string Affinity(int thread)
    {
        var mask = stackalloc ulong[16];
        new Span<ulong>(mask, 16).Clear();
        return sched_getaffinity(thread, 128, mask) < 0 ? "?" : string.Join(',', Enumerable.Range(0, 64).Where(bit => IsSet(mask[0], bit)));
    }

    private static bool IsSet(ulong mask, int bit) => (mask >> bit & 1) != 0;

    [LibraryImport("libc")]
    private static partial int getpriority(int which, int who);

    [LibraryImport("libc")]
    private static unsafe partial int getrlimit(int resource, ulong* limit);

    [LibraryImport("libc")]
    private static unsafe partial int sched_getaffinity(int thread, nuint bytes, ulong* mask);
}
