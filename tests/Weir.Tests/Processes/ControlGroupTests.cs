using Weir.Execution.Processes.Linux.ControlGroups;

namespace Weir.Tests.Processes;

public class ControlGroupTests
{
    private const string Unified = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    private const string Hybrid = """
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:1 - cgroup cgroup rw,cpu,cpuacct
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
        40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
        """;

    [Fact]
    public void The_single_hierarchy_of_version_2_is_found()
    {
        var tree = Assert.Single(ControlGroupHierarchy.Parse(Unified, "0::/user.slice/app.service\n"));
        Assert.True(tree.IsUnified);
        Assert.Equal("/sys/fs/cgroup", tree.Root);
        Assert.Equal("/sys/fs/cgroup/user.slice/app.service", tree.Folder);
    }

    [Fact]
    public void Hierarchies_of_both_versions_are_found_each_with_its_own_group()
    {
        var trees = ControlGroupHierarchy.Parse(Hybrid, "9:name=systemd:/\n4:memory:/api/x\n2:cpu,cpuacct:/\n1:rdma:/none\n0::/u\n");
        Assert.Equal(
            ["/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/memory/api/x", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified/u"],
            trees.Select(tree => tree.Folder));
        Assert.Equal(["cpu", "cpuacct"], trees[0].Resources);
        Assert.Equal([false, false, false, true], trees.Select(tree => tree.IsUnified));
    }

    [Theory]
    [InlineData("/docker/abc", "/docker/abc", "/sys/fs/cgroup")]
    [InlineData("/docker/abc", "/docker/abc/d", "/sys/fs/cgroup/d")]
    [InlineData("/docker/abc", "/docker/abcd", null)]
    [InlineData("/docker/abc", "/", null)]
    [InlineData("/", "/../other", null)]
    [InlineData("/", "/", "/sys/fs/cgroup")]
    public void A_mount_may_show_a_part_of_the_hierarchy(string mounted, string own, string? folder)
    {
        var trees = ControlGroupHierarchy.Parse($"29 23 0:26 {mounted} /sys/fs/cgroup rw - cgroup2 cgroup2 rw", $"0::{own}");
        Assert.Equal(folder is null ? [] : [folder], trees.Select(tree => tree.Folder));
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("29 23 0:26 / /sys rw - sysfs sysfs rw", "0::/")]
    [InlineData("29 23 - cgroup2", "0::/")]
    [InlineData("29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "nonsense")]
    public void Without_a_hierarchy_nothing_is_found(string mounts, string membership) => Assert.Empty(ControlGroupHierarchy.Parse(mounts, membership));

    [Fact]
    public void An_escaped_space_in_a_path_is_unescaped() =>
        Assert.Equal("/sys/a b", ControlGroupHierarchy.Parse(@"29 23 0:26 / /sys/a\040b rw - cgroup2 cgroup2 rw", "0::/").Single().Folder);

    [Fact]
    public void The_name_of_a_group_identifies_its_host()
    {
        var name = new ControlGroupName("4026531836", 17, 12345);
        Assert.Equal("weir-4026531836-17-12345", name.ToString());
        Assert.Equal(name, ControlGroupName.Parse(name.ToString()));
    }

    [Theory]
    [InlineData("weir")]
    [InlineData("weir-1-2")]
    [InlineData("weir-1-2-3-4")]
    [InlineData("weir-1-a-3")]
    [InlineData("other-1-2-3")]
    public void Any_other_name_is_not_recognized(string text) => Assert.Null(ControlGroupName.Parse(text));

    [Fact]
    public void Only_groups_of_an_exited_host_of_this_namespace_are_orphans()
    {
        var own = ControlGroupName.OfThisProcess;
        Assert.False(own.IsOrphan);
        Assert.True((own with { Started = own.Started + 1 }).IsOrphan);
        Assert.False((own with { Started = own.Started + 1, Namespace = "1" }).IsOrphan);
    }
}
