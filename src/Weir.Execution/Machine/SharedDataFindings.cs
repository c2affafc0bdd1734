using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Processes.Linux.Launch;

namespace Weir.Execution.Machine;

/// <summary>
/// The shared data of the applications that run on this machine, as their sealed memory in <c>/proc</c> shows it: each reading once, however many workers map it. What
/// another user's processes share cannot be seen.
/// </summary>
internal static class SharedDataFindings
{
    private const string Name = "shared data";
    private const string Link = "/memfd:" + SealedMemory.NamePrefix;
    private const string Deleted = " (deleted)";
    private const int MostListed = 4;

    /// <param name="freeMemory">What is left, in bytes; <c>null</c> where it is not known.</param>
    public static IReadOnlyList<MachineFinding> Find(long? freeMemory) => Describe(Uses(), freeMemory);

    /// <summary>One row for each reading, or one that says that there is none.</summary>
    internal static IReadOnlyList<MachineFinding> Describe(IEnumerable<SharedDataUse> uses, long? freeMemory)
    {
        var rows = uses.GroupBy(static use => use.Memory)
            .Select(static memory => (First: memory.First(), Processes: memory.Select(static use => use.ProcessId).Distinct().Order().ToArray()))
            .OrderBy(static memory => memory.First.Name, StringComparer.OrdinalIgnoreCase).ThenBy(static memory => memory.Processes[0])
            .Select(memory => Row(memory.First, memory.Processes, freeMemory)).ToArray();
        return rows.Length > 0 ? rows : [new MachineFinding(Name, "none") { Detail = "no process of this user shares data with workers" }];
    }

    // A reload reads it again before the workers of the earlier reading end.
    private static MachineFinding Row(SharedDataUse use, int[] processes, long? freeMemory)
    {
        var isTight = freeMemory < use.Bytes;
        var free = freeMemory is { } bytes ? $", {Megabytes(bytes)} MB are free" : "";
        return new MachineFinding($"{Name} {use.Name}", $"{Megabytes(use.Bytes)} MB, once", isTight ? FindingState.Reduced : FindingState.Full)
        {
            Detail = $"held by {(processes.Length == 1 ? "process" : $"{processes.Length} processes,")} {string.Join(", ", processes.Take(MostListed))}{(processes.Length > MostListed ? ", …" : "")}{free}",
            NextStep = isTight ? "a reload reads it again beside the earlier bytes, and would be refused: free memory first, or restart" : null,
        };
    }

    private static IEnumerable<SharedDataUse> Uses()
    {
        foreach (var folder in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var process))
            {
                foreach (var descriptor in Descriptors(folder))
                {
                    if (Use(process, folder, descriptor) is { } use)
                    {
                        yield return use;
                    }
                }
            }
        }
    }

    // Another user's processes have none that may be listed; one that has just ended has none, too.
    private static string[] Descriptors(string folder)
    {
        try
        {
            return Directory.GetFiles(folder + "/fd");
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static SharedDataUse? Use(int process, string folder, string descriptor)
    {
        try
        {
            if (File.ResolveLinkTarget(descriptor, returnFinalTarget: false)?.FullName is not { } target || !target.StartsWith(Link, StringComparison.Ordinal))
            {
                return null;
            }

            using var file = File.OpenHandle(descriptor, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            var length = RandomAccess.GetLength(file);
            var name = target.EndsWith(Deleted, StringComparison.Ordinal) ? target[Link.Length..^Deleted.Length] : target[Link.Length..];

            // Linux 5.14 and newer say which memory it is; before, one of the same name and length counts as the same.
            var number = KernelFile.Read($"{folder}/fdinfo/{Path.GetFileName(descriptor)}")?.Split('\n').FirstOrDefault(static line => line.StartsWith("ino:", StringComparison.Ordinal));
            return new SharedDataUse(name, length, number ?? $"{name}/{length}", process);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static string Megabytes(long bytes) => ((bytes + (1 << 20) - 1) >> 20).ToString("N0", CultureInfo.InvariantCulture);
}
