using Xunit;

namespace Weir.IntegrationTests.Processes;

public class KillTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task A_killed_worker_takes_its_grandchildren_along()
    {
        // One stays in the process group, one starts its own; both ignore all signals that can be ignored.
        await using var launched = await Launched.ShellAsync("trap '' TERM HUP; sleep 1000 & setsid sleep 1000 & wait");
        var worker = launched.Worker.ProcessId;
        List<int> children = [];
        Assert.True(await ProcFiles.EventuallyAsync(() => (children = Children(worker)).Count(pid => ProcFiles.Stat(pid)?.Group != worker) == 1 && children.Count == 2, Soon));

        launched.Worker.Kill();

        Assert.Equal("signal 9 (SIGKILL)", (await launched.ExitAsync()).ToString());
        Assert.True(await ProcFiles.EventuallyAsync(() => !children.Any(ProcFiles.IsRunning), Soon));
    }

    [Fact]
    public async Task A_worker_that_ends_by_itself_leaves_nothing_of_its_group()
    {
        await using var launched = await Launched.ShellAsync("sleep 1000 & echo $!; exit 4");
        Assert.Equal(4, (await launched.ExitAsync()).ExitCode);
        var orphan = int.Parse(Assert.Single(launched.Log.Lines).Text);
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(orphan), Soon));
    }

    [Fact]
    public async Task A_stopped_worker_dies_too()
    {
        await using var launched = await Launched.ShellAsync("kill -STOP $$");
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.Stat(launched.Worker.ProcessId) is { State: 'T' }, Soon));
        launched.Worker.Kill();
        Assert.Equal(9, (await launched.ExitAsync()).Signal);
    }

    [Fact]
    public async Task Killing_twice_at_once_and_after_the_end_does_no_harm()
    {
        await using var launched = await Launched.StartAsync("/bin/sleep", ["60"]);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(launched.Worker.Kill)));
        Assert.Equal(9, (await launched.ExitAsync()).Signal);
        launched.Worker.Kill();
    }

    [Fact]
    public async Task A_process_that_escaped_and_holds_the_pipes_does_not_hide_the_end()
    {
        // It has another parent and another session, so it cannot be found. It ends itself.
        await using var launched = await Launched.ShellAsync("(setsid sleep 15 &) ; sleep 0.1; echo done; exit 0");
        var report = await launched.Worker.Exited.WithinAsync(14);
        Assert.Equal(0, report.ExitCode);
        Assert.Equal("done", Assert.Single(launched.Log.Lines).Text);
    }

    private static List<int> Children(int parent) =>
        [.. ProcFiles.AllPids().Where(pid => ProcFiles.Stat(pid) is { State: not 'Z' and not 'X' } stat && stat.Parent == parent)];
}
