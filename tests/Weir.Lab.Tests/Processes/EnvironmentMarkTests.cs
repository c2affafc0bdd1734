using System.Diagnostics;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Tests.Processes;

public sealed class EnvironmentMarkTests
{
    [Fact]
    public async Task Who_was_started_by_one_that_is_gone_is_found()
    {
        var mark = new EnvironmentMark();
        Assert.Empty(mark.Bearers);

        // A child of a child, whose parent ends before its children can be listed. It executes no other program: in the middle of that, a process
        // has no environment that could be read.
        var launch = mark.On(new ProgramLaunch("/bin/sh", ["-c", "exec 3<&0; { read line <&3; } & exit"]));
        using var parent = Process.Start(StartOf(launch))!;
        await parent.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Empty(new ProcessMeter(parent.Id).Children);

        var left = Assert.Single(mark.Bearers);
        Assert.True(WorkerKiller.Kill(left));
        SpinWait.SpinUntil(() => mark.Bearers.Count == 0, TimeSpan.FromSeconds(5));
        Assert.Empty(mark.Bearers);
    }

    private static ProcessStartInfo StartOf(ProgramLaunch launch)
    {
        var start = new ProcessStartInfo(launch.File, launch.Arguments) { RedirectStandardInput = true };
        foreach (var (name, value) in launch.Environment)
            start.Environment[name] = value;
        return start;
    }
}
