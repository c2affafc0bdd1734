using System.Globalization;

namespace Weir.Jobs.Tests.Faults;

/// <summary>A second process on a file that another one has.</summary>
public sealed class SecondHostTests
{
    [Fact]
    public async Task A_second_host_is_refused_with_the_process_that_has_the_file()
    {
        using var rig = new FaultRig();
        using var first = rig.Start("load", "Once");
        await first.SaysAsync("started");

        // It runs nothing, so that its shutdown timeout may be short; a store waits 15 s longer.
        using var second = rig.Start("finish", "", "--Shutdown", "00:00:00", "--Weir:Jobs:Run", "false");
        Assert.NotEqual(0, await second.ExitAsync());
        Assert.Contains(WeirCodes.JobStoreOwned, second.Said, StringComparison.Ordinal);
        Assert.Contains(string.Create(CultureInfo.InvariantCulture, $"belong to the process {first.Id} on "), second.Said, StringComparison.Ordinal);
        Assert.False(first.HasExited);
        first.Terminate();
        Assert.Equal(0, await first.ExitAsync());
        await rig.FinishAsync();
        await rig.CheckAsync();
    }

    [Fact]
    public async Task A_second_host_takes_over_when_the_first_is_killed()
    {
        using var rig = new FaultRig();
        using var first = rig.Start("load", "Once*10,Slow*3,SlowRepeatable*3,Repeatable*5");
        await first.SaysAsync("started");
        using var second = rig.Start("finish");
        while (rig.Answers().Count < 50)
        {
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }

        Assert.False(second.HasExited || second.Said.Contains("started", StringComparison.Ordinal), second.Said);
        await first.KillAsync();
        Assert.True(await second.ExitAsync() == 0, second.Said);
        await rig.CheckAsync();
    }
}
