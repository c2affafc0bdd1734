using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Interop;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>What is planned on machines that these tests do not run on: folders that look like their trees.</summary>
public sealed class ControlGroupPlanningTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("weir-groups-").FullName;

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Fact]
    public void In_the_one_tree_of_version_2_resources_are_handed_down_and_every_bound_is_written()
    {
        var tree = Unified("cpu memory pids");
        var plan = Plan(new PoolOptions { MemoryLimitBytes = 512 << 20, ProcessLimit = 40, CpuLimit = 1.5 }, [tree], out var refusals)!;
        Assert.Empty(refusals);
        Assert.Equal((512 << 20, 40, 1.5), (plan.MemoryBytes, plan.Processes, plan.Cpus));
        var home = Assert.Single(plan.Homes);
        var leaf = ControlGroupLeaf.Create(plan);
        Assert.Equal($"{512 << 20}", KernelFile.Read(leaf.Folder + "/memory.max"));
        Assert.Equal("40", KernelFile.Read(leaf.Folder + "/pids.max"));
        Assert.Equal("150000 100000", KernelFile.Read(leaf.Folder + "/cpu.max"));
        Assert.StartsWith(home.Folder, leaf.Folder, StringComparison.Ordinal);
    }

    [Fact]
    public void A_group_that_hands_nothing_down_is_passed_over_for_the_one_above()
    {
        var service = Unified("cpu memory pids");
        var inner = Directory.CreateDirectory(service.Folder + "/host").FullName;
        var tree = service with { Root = service.Folder, Folder = inner };
        var plan = Plan(new PoolOptions { ProcessLimit = 40 }, [tree], out var refusals)!;
        Assert.Empty(refusals);
        Assert.Equal(service.Folder, Path.GetDirectoryName(plan.Homes.Single().Folder));
    }

    [Fact]
    public void Trees_of_version_1_have_one_resource_each()
    {
        var memory = Separate("memory");
        var pids = Separate("pids");
        var plan = Plan(new PoolOptions { MemoryLimitBytes = 512 << 20, ProcessLimit = 40 }, [memory, pids], out var refusals)!;
        Assert.Empty(refusals);
        ControlGroupLeaf.Create(plan);
        Assert.Equal($"{512 << 20}", Written(memory, "memory.limit_in_bytes"));
        Assert.Equal("40", Written(pids, "pids.max"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_bound_that_cannot_be_had_is_named_with_the_reason(bool isMounted)
    {
        Assert.Null(Plan(new PoolOptions { ProcessLimit = 40 }, isMounted ? [Unified("memory")] : [], out var refusals));
        Assert.StartsWith("ProcessLimit (40) could not be applied: ", Assert.Single(refusals), StringComparison.Ordinal);
        Assert.Contains(isMounted ? "has no controller 'pids'" : "no hierarchy of control groups", refusals[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Always_is_an_error_where_there_is_nothing()
    {
        Assert.Null(Plan(new PoolOptions { ControlGroup = ControlGroupUse.Always }, [], out var refusals));
        Assert.StartsWith("ControlGroup (Always) could not be applied: ", Assert.Single(refusals), StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_is_bounded_without_groups_too_so_it_asks_for_none()
    {
        Assert.Null(Plan(new PoolOptions { MemoryLimitBytes = 512 << 20 }, [], out var refusals));
        Assert.Empty(refusals);
    }

    [Theory]
    [InlineData(ControlGroupUse.WhereDelegated, false, false)]
    [InlineData(ControlGroupUse.WhereDelegated, true, true)]
    [InlineData(ControlGroupUse.Always, false, true)]
    [InlineData(ControlGroupUse.Never, true, false)]
    public void Groups_are_used_as_the_option_says(ControlGroupUse use, bool isDelegated, bool isUsed)
    {
        var planning = new ControlGroupPlanning(new PoolOptions { ControlGroup = use }, [Unified("")], (_, _) => isDelegated);
        Assert.Equal(isUsed, planning.Run() is not null);
        Assert.Empty(planning.Refusals);
    }

    [Fact]
    public void A_group_whose_parent_folder_was_removed_creates_it_again()
    {
        var plan = Plan(new PoolOptions { ControlGroup = ControlGroupUse.Always }, [Separate("pids")], out _)!;
        plan.Release();
        Assert.False(Directory.Exists(plan.Homes[0].Folder));
        Assert.True(Directory.Exists(ControlGroupLeaf.Create(plan).Folder));
    }

    [Fact]
    public void A_group_that_cannot_be_made_is_an_error_that_leaves_nothing()
    {
        var plan = Plan(new PoolOptions { ProcessLimit = 40 }, [Separate("pids")], out _)!;
        Directory.Delete(plan.Homes[0].Folder);
        File.WriteAllText(plan.Homes[0].Folder, "in the way");
        var failure = Assert.Throws<LaunchException>(() => ControlGroupLeaf.Create(plan));
        Assert.Equal(WeirCodes.LimitNotApplied, failure.Code);
    }

    private static ControlGroupPlan? Plan(PoolOptions options, List<ControlGroupHierarchy> trees, out List<string> refusals)
    {
        var planning = new ControlGroupPlanning(options, trees, static (_, _) => false);
        var plan = planning.Run();
        refusals = planning.Refusals;
        return plan;
    }

    // What the kernel puts into a new folder is put there before.
    private ControlGroupHierarchy Unified(string resources)
    {
        var own = $"{_root}/unified";
        foreach (var folder in new[] { own, $"{own}/{ControlGroupName.OfThisProcess}" })
        {
            Directory.CreateDirectory(folder);
            File.WriteAllText(folder + "/cgroup.controllers", resources + "\n");
            File.WriteAllText(folder + "/cgroup.subtree_control", "\n");
        }

        return new ControlGroupHierarchy(IsUnified: true, [], own, own);
    }

    private ControlGroupHierarchy Separate(string resource)
    {
        var own = Directory.CreateDirectory($"{_root}/{resource}").FullName;
        return new ControlGroupHierarchy(IsUnified: false, [resource], own, own);
    }

    private static string? Written(ControlGroupHierarchy tree, string file) =>
        KernelFile.Read(Directory.EnumerateFiles(tree.Folder, file, SearchOption.AllDirectories).Single());
}
