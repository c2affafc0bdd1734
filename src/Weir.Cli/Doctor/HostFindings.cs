using System.Diagnostics;
using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;
using Weir.Execution.Machine;

namespace Weir.Cli.Doctor;

/// <summary>What .NET and the operating system say about this machine.</summary>
internal static class HostFindings
{
    private const int ClockReads = 100_000;

    // Above it a latency of a worker's call, some tens of microseconds, cannot be measured.
    private const double CoarseNanoseconds = 1000;

    /// <summary>The clock: its resolution, and what it costs to read.</summary>
    public static IReadOnlyList<MachineFinding> Clock()
    {
        var smallest = long.MaxValue;
        var begin = Stopwatch.GetTimestamp();
        for (var (i, last) = (0, begin); i < ClockReads; i++)
        {
            var now = Stopwatch.GetTimestamp();
            if (now != last)
            {
                smallest = Math.Min(smallest, now - last);
            }

            last = now;
        }

        var cost = Stopwatch.GetElapsedTime(begin).TotalNanoseconds / ClockReads;
        var step = smallest * 1e9 / Stopwatch.Frequency;
        var source = Read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
        return
        [
            new MachineFinding("resolution", Text($"{step:0} ns"), step > CoarseNanoseconds ? FindingState.Reduced : FindingState.Full)
            {
                Detail = Text($"a read takes {cost:0} ns{(source is null ? "" : $", clock source {source}")}"),
                NextStep = step > CoarseNanoseconds ? "times of single calls are rounded to it" : null,
            },
        ];
    }

    /// <summary>The folder of shared memory that other programs use; Weir's own has no name there.</summary>
    public static IReadOnlyList<MachineFinding> SharedMemoryFolder()
    {
        const string Folder = "/dev/shm";
        if (!Directory.Exists(Folder))
        {
            return [];
        }

        var drive = new DriveInfo(Folder);
        return [new MachineFinding(Folder, Text($"{drive.AvailableFreeSpace >> 20:N0} MB free of {drive.TotalSize >> 20:N0}")) { Detail = "Weir's shared memory is a memfd and takes nothing of it" }];
    }

    /// <summary>The runtime.</summary>
    public static IReadOnlyList<MachineFinding> Runtime() =>
    [
        new MachineFinding("runtime", RuntimeInformation.FrameworkDescription) { Detail = $"{RuntimeInformation.RuntimeIdentifier}, {RuntimeInformation.OSDescription.Trim()}" },
        new MachineFinding("processors", Text($"{Environment.ProcessorCount}")),
        new MachineFinding("garbage collector", GCSettings.IsServerGC ? "server" : "workstation") { Detail = Text($"{GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 20:N0} MB for this process") },
    ];

    private static string? Read(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllText(path).Trim() : null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
