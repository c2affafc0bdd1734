using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Interop;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>Workers in control groups of their own, on a machine that has them and lets this process make some.</summary>
public class ControlGroupTests
{
    private static readonly IReadOnlyList<ControlGroupHierarchy> Hierarchies = ControlGroupHierarchy.OfThisProcess();

    [Fact]
    public async Task What_a_worker_started_ends_with_it_wherever_it_went()
    {
        RequireGroups();
        await using var pool = new ControlledPool(options => options.ControlGroup = ControlGroupUse.Always);
        var escapee = await pool.AskAsync<int>("StartEscapee");
        Assert.True(ProcFiles.IsRunning(escapee));
        Assert.Equal(1, ProcFiles.Stat(escapee)!.Value.Parent);
        Assert.NotNull(pool.Limits.ControlGroup);

        await Assert.ThrowsAsync<WorkerLostException>(() => pool.AskAsync<object>("Crash"));
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(escapee), TimeSpan.FromSeconds(60)));
    }

    [Fact]
    public async Task It_also_ends_with_a_worker_that_is_drained_and_nothing_is_left()
    {
        RequireGroups();
        int escapee;
        string folder;
        await using (var pool = new ControlledPool(options => options.ControlGroup = ControlGroupUse.Always))
        {
            escapee = await pool.AskAsync<int>("StartEscapee");
            folder = pool.Limits.ControlGroup!;
            Assert.True(Directory.Exists(folder));
        }

        Assert.False(ProcFiles.IsRunning(escapee));
        Assert.False(Directory.Exists(folder));
    }

    [Fact]
    public async Task The_number_of_processes_and_threads_is_bounded()
    {
        RequireResource("pids");
        await using var pool = new ControlledPool(options => options.ProcessLimit = 40);
        Assert.Equal("40", KernelFile.Read(await FolderAsync(pool, "pids") + "/pids.max"));
        Assert.InRange(await pool.AskAsync<int>("StartMany"), 10, 39);
        Assert.Equal(40, pool.Limits.Processes);
    }

    [Fact]
    public async Task The_time_of_processors_is_bounded()
    {
        RequireResource("cpu");
        await using var pool = new ControlledPool(options => options.CpuLimit = 0.3);
        var folder = await FolderAsync(pool, "cpu");
        Assert.Equal("30000", (KernelFile.Read(folder + "/cpu.max") ?? KernelFile.Read(folder + "/cpu.cfs_quota_us"))?.Split(' ')[0]);

        // How little it gets is for the machine's other processes to say.
        Assert.InRange(await pool.AskAsync<double>("Burn", """{"milliseconds":1000}"""), 0, 0.6);
        Assert.Equal(1, await pool.AskAsync<int>("ProcessorCount"));
        Assert.Equal(0.3, pool.Limits.Cpus);
    }

    [Fact]
    public async Task Memory_is_bounded_for_the_whole_family()
    {
        RequireResource("memory");
        await using var pool = new ControlledPool(options => (options.ControlGroup, options.MemoryLimitBytes) = (ControlGroupUse.Always, 512 << 20));
        var folder = await FolderAsync(pool, "memory");
        Assert.Equal($"{512 << 20}", KernelFile.Read(folder + "/memory.max") ?? KernelFile.Read(folder + "/memory.limit_in_bytes"));
        Assert.Equal(512 << 20, pool.Limits.GroupMemoryBytes);
        Assert.Equal(512 << 20, await pool.AskAsync<long>("MemoryLimit"));
    }

    [Fact]
    public async Task Groups_that_were_not_given_to_us_are_left_alone()
    {
        RequireGroups();
        Assert.SkipWhen(Hierarchies.Any(one => Delegation.Holds(one, one.Folder)), "the group of these tests was given to them");
        await using var pool = new ControlledPool(_ => { });
        await pool.AskAsync<int>("ProcessorCount");
        Assert.Null(pool.Limits.ControlGroup);
        Assert.False(pool.Limits.EndsEverything);
    }

    [Fact]
    public async Task Never_is_never()
    {
        await using var pool = new ControlledPool(options => options.ControlGroup = ControlGroupUse.Never);
        Assert.Equal(File.ReadAllLines("/proc/self/cgroup"), await pool.AskAsync<string[]>("Groups"));
    }

    [Fact]
    public async Task What_a_dead_host_left_behind_is_cleared_away()
    {
        RequireGroups();
        var tree = Hierarchies.First(one => one.IsUnified);

        // Process 1 started with the machine, and not at tick 1: the host of this name is dead.
        var dead = $"{tree.Folder}/{ControlGroupName.OfThisProcess with { ProcessId = 1, Started = 1 }}";
        Directory.CreateDirectory(dead + "/w1");
        using var left = System.Diagnostics.Process.Start("/bin/sleep", "300");
        Assert.Null(ControlGroupFolder.Enter(dead + "/w1", left.Id));

        await using var pool = new ControlledPool(options => options.ControlGroup = ControlGroupUse.Always);
        Assert.True(left.WaitForExit(5000));
        Assert.False(Directory.Exists(dead));
    }

    [Fact]
    public async Task A_group_without_the_kernels_kill_is_ended_one_by_one()
    {
        RequireResource("pids");
        var tree = Hierarchies.FirstOrDefault(one => one.Resources.Contains("pids"));
        Assert.SkipWhen(tree is null, "this machine has no tree of version 1");
        var home = new ControlGroupHome(tree, tree.Folder, ControlGroupName.OfThisProcess with { Namespace = "0" } + "", []);
        Assert.Null(home.Prepare());
        var leaf = ControlGroupLeaf.Create(new ControlGroupPlan([home]));
        Assert.False(leaf.CanKill);

        // It starts its family once it is in.
        await using var launched = await Launched.ShellAsync("while ! grep -q weir-0 /proc/self/cgroup; do sleep 0.02; done; setsid sh -c 'sleep 300 & sleep 300' & sleep 300");
        leaf.Enter(launched.Worker.ProcessId);
        Assert.True(await ProcFiles.EventuallyAsync(() => ControlGroupFolder.ReadMembers(leaf.Folder).Count >= 4, TimeSpan.FromSeconds(60)));
        var family = ControlGroupFolder.ReadMembers(leaf.Folder);
        await leaf.EndAsync();
        Assert.DoesNotContain(family, ProcFiles.IsRunning);
        Assert.False(Directory.Exists(leaf.Folder));
        home.Remove();
        Assert.False(Directory.Exists(home.Folder));
    }

    private static async Task<string> FolderAsync(ControlledPool pool, string resource)
    {
        var groups = await pool.AskAsync<string[]>("Groups");
        var tree = Hierarchies.First(one => one.IsUnified ? (KernelFile.Read(one.Folder + "/cgroup.controllers") ?? "").Contains(resource, StringComparison.Ordinal) : one.Resources.Contains(resource));
        var line = groups.Single(line => tree.IsUnified ? line.StartsWith("0::", StringComparison.Ordinal) : line.Split(':')[1].Split(',').Contains(resource));
        return tree.Root + line.Split(':', 3)[2];
    }

    private static void RequireGroups() =>
        Assert.SkipUnless(Environment.IsPrivilegedProcess && Hierarchies.Any(one => one.IsUnified), "needs root and control groups of version 2");

    private static void RequireResource(string resource) =>
        Assert.SkipUnless(
            Environment.IsPrivilegedProcess && Hierarchies.Any(one => one.Resources.Contains(resource) || (KernelFile.Read(one.Folder + "/cgroup.controllers") ?? "").Contains(resource, StringComparison.Ordinal)),
            $"needs root and a control group with the controller '{resource}'");
}
