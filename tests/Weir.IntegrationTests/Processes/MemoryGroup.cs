using System.Globalization;
using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Interop;
using Xunit;

namespace Weir.IntegrationTests.Processes;

/// <summary>A control group with a limit of memory, as a container has one. The test is skipped where none can be made.</summary>
internal sealed class MemoryGroup : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly string _folder;

    public MemoryGroup(int megabytes)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root");
        var tree = ControlGroupHierarchy.OfThisProcess().FirstOrDefault(static one => one.Resources.Contains("memory"))
            ?? ControlGroupHierarchy.OfThisProcess().FirstOrDefault(static one => one.IsUnified && (KernelFile.Read(one.Root + "/cgroup.subtree_control") ?? "").Contains("memory", StringComparison.Ordinal));
        Assert.SkipWhen(tree is null, "needs control groups of memory");
        _folder = $"{tree.Root}/weir-test-{Guid.NewGuid():N}";
        Directory.CreateDirectory(_folder);
        Assert.Null(KernelFile.Write($"{_folder}/{(tree.IsUnified ? "memory.max" : "memory.limit_in_bytes")}", ((long)megabytes << 20).ToString(CultureInfo.InvariantCulture)));
    }

    /// <summary>A shell's command that moves it into the group.</summary>
    public string Enter => $"echo $$ > {_folder}/cgroup.procs";

    /// <summary>How many processes of it the kernel killed because there was no memory left.</summary>
    public int Kills => (KernelFile.Read(_folder + "/memory.events") ?? KernelFile.Read(_folder + "/memory.oom_control"))!
        .Split('\n').Where(static line => line.StartsWith("oom_kill ", StringComparison.Ordinal)).Select(static line => int.Parse(line["oom_kill ".Length..], CultureInfo.InvariantCulture)).Single();

    public async ValueTask DisposeAsync()
    {
        ControlGroupFolder.Kill(_folder);
        Assert.True(await ProcFiles.EventuallyAsync(() => ControlGroupFolder.TryRemove(_folder), Patience));
    }
}
