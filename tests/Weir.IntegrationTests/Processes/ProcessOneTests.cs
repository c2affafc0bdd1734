using System.Diagnostics;
using System.Globalization;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Processes;

/// <summary>A host that is process 1, as in a container without an init.</summary>
[Collection(nameof(Alone))]
public sealed class ProcessOneTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task It_reaps_what_it_inherits_and_still_knows_how_its_workers_end()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess && File.Exists("/usr/bin/unshare") && File.Exists("/usr/bin/nsenter"), "needs root, unshare and nsenter");
        await using var showcase = await ShowcaseProcess.StartAsync(before: "exec unshare --pid --fork --kill-child --mount-proc \"$0\" \"$@\"");
        var host = Assert.Single(showcase.Workers());
        Assert.True(await ProcFiles.EventuallyAsync(() => Children(host).Count >= 3, Patience));

        // 1. Three processes whose parent ends before them, each in a session of its own.
        using (var parent = Process.Start("/usr/bin/nsenter", ["--target", host.ToString(CultureInfo.InvariantCulture), "--pid", "/bin/sh", "-c", "for i in 1 2 3; do setsid sleep 0.5 & done"]))
        {
            await parent.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        Assert.True(await ProcFiles.EventuallyAsync(() => Children(host).Count(static pid => ProcFiles.Stat(pid) is { State: 'Z' }) == 3, Patience), "no process was inherited");
        Assert.True(await ProcFiles.EventuallyAsync(() => Children(host).All(static pid => ProcFiles.Stat(pid) is not { State: 'Z' }), Patience), "zombies stayed");

        // 2. A worker that ends by itself is reaped by its owner.
        using var response = await showcase.Client.PostAsync("/Neighbour/Crash?kind=Segv", null, TestContext.Current.CancellationToken);
        Assert.Contains("signal 11 (SIGSEGV)", await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken), StringComparison.Ordinal);
    }

    private static List<int> Children(int host) => [.. ProcFiles.AllPids().Where(pid => ProcFiles.Stat(pid)?.Parent == host)];
}
