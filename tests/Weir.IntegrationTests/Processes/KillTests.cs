using Xunit;

namespace Weir.IntegrationTests.Processes;

public class KillTests
{
    [Fact]
    public async Task A_killed_worker_takes_its_grandchildren_along()
    {
        // One stays in the group, one leaves it; both ignore what can be ignored.
        await using var launched = await Launched.ShellAsync("trap '' TERM HUP; sleep 1000 & setsid sleep 1000 & echo \"$! $$\"; sleep 0.2; ps -o pid= --ppid $$ | tr '\\n' ' '; echo; wait");
        await launched.Log.First.Task.WithinAsync(10);
        Assert.True(await ProcFiles.EventuallyAsync(() => launched.Log.Lines.Count >= 2, TimeSpan.FromSeconds(10)));
        var worker = launched.Worker.ProcessId;
        var children = ProcFiles.AllPids().Where(pid => ProcFiles.Stat(pid) is { } stat && stat.Parent == worker && ProcFiles.IsRunning(pid)).ToList();
        Assert.Equal(2, children.Count);
        Assert.Single(children, pid => ProcFiles.Stat(pid)!.Value.Group != worker);

        launched.Worker.Kill();

        Assert.Equal("signal 9 (SIGKILL)", (await launched.ExitAsync()).ToString());
        Assert.True(await ProcFiles.EventuallyAsync(() => !children.Any(ProcFiles.IsRunning), TimeSpan.FromSeconds(5)));
    }

    [Fact]
    public async Task A_worker_that_ends_by_itself_leaves_nothing_of_its_group()
    {
        await using var launched = await Launched.ShellAsync("sleep 1000 & echo $!; exit 4");
        Assert.Equal(4, (await launched.ExitAsync()).ExitCode);
        var orphan = int.Parse(Assert.Single(launched.Log.Lines).Text);
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(orphan), TimeSpan.FromSeconds(5)));
    }

    [Fact]
    public async Task A_stopped_worker_dies_too()
    {
        await using var launched = await Launched.ShellAsync("kill -STOP $$");
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.Stat(launched.Worker.ProcessId) is { State: 'T' }, TimeSpan.FromSeconds(5)));
        launched.Worker.Kill();
        Assert.Equal(9, (await launched.ExitAsync()).Signal);
    }

    [Fact]
    public async Task Killing_twice_at_once_and_after_the_end_harms_nobody()
    {
        await using var launched = await Launched.StartAsync("/bin/sleep", ["60"]);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(launched.Worker.Kill)));
        Assert.Equal(9, (await launched.ExitAsync()).Signal);
        launched.Worker.Kill();
    }

    [Fact]
    public async Task A_process_that_escaped_and_holds_the_pipes_does_not_hide_the_end()
    {
        // Reparented before anybody could find it: only its own session knows it. It ends itself.
        await using var launched = await Launched.ShellAsync("(setsid sleep 3 &) ; sleep 0.1; echo done; exit 0");
        var report = await launched.Worker.Exited.WithinAsync(2);
        Assert.Equal(0, report.ExitCode);
        Assert.Equal("done", Assert.Single(launched.Log.Lines).Text);
    }
}
