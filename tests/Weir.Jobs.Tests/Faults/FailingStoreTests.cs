namespace Weir.Jobs.Tests.Faults;

/// <summary>Writes and syncs of the store fail while jobs run.</summary>
public sealed class FailingStoreTests
{
    private const string Mix = "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4";

    [Theory]
    [InlineData("pwrite64", "error=EIO", 120)]
    [InlineData("pwrite64", "error=ENOSPC", 150)]
    [InlineData("pwrite64", "retval=0", 180)]
    [InlineData("fsync", "error=EIO", 12)]
    [InlineData("fsync", "error=ENOSPC", 15)]
    public Task What_was_acknowledged_survives_a_call_that_fails(string call, string error, int when) => FailAtAsync(call, error, $"{when}");

    [Theory, Trait("Kind", "Long")]
    [InlineData("pwrite64", "error=EIO", 7, 500)]
    [InlineData("pwrite64", "error=ENOSPC", 7, 500)]
    [InlineData("pwrite64", "retval=0", 7, 500)]
    [InlineData("fsync", "error=EIO", 1, 40)]
    [InlineData("fsync", "error=ENOSPC", 1, 40)]
    public async Task What_was_acknowledged_survives_any_call_that_fails(string call, string error, int step, int last)
    {
        for (var when = step; when <= last; when += step)
        {
            await FailAtAsync(call, error, $"{when}");
        }
    }

    [Fact]
    public async Task A_disk_that_is_full_for_a_while_delays_jobs_and_loses_none()
    {
        using var rig = new FaultRig();

        // Writes one after the other: the pauses between them grow.
        using (var host = await rig.RunWithFaultAsync("pwrite64:error=ENOSPC:when=150..156", "submit", Mix))
        {
            Assert.Contains("stopped", host.Said, StringComparison.Ordinal);
        }

        await rig.CheckAsync();
        Assert.DoesNotContain(rig.Answers(), static answer => answer[0] == "unknown");
    }

    [Fact]
    public async Task After_a_failed_sync_no_submission_is_accepted_and_the_host_stops_in_time()
    {
        using var rig = new FaultRig();
        using (var host = await rig.RunWithFaultAsync("fsync:error=EIO:when=12", "submit", Mix))
        {
            Assert.Contains("stopped", host.Said, StringComparison.Ordinal);
        }

        var answers = rig.Answers().ConvertAll(static answer => answer[0]);
        Assert.Contains("accepted", answers);
        Assert.Contains("rejected", answers);
        Assert.Equal(46, answers.Count);
        Assert.All(answers.Skip(answers.FindLastIndex(static answer => answer == "unknown") + 1).SkipWhile(static answer => answer == "accepted"), static answer => Assert.Equal("rejected", answer));
        await rig.FinishAsync();
        await rig.CheckAsync();
    }

    [Theory]
    [InlineData("pwrite64:signal=KILL:when=2000")]
    [InlineData("fsync:error=EIO:when=1")]
    public async Task What_was_acknowledged_survives_a_fault_while_the_log_is_copied_into_the_file(string fault)
    {
        using var rig = new FaultRig();

        // The file is there: the first sync of it is that of the copy.
        using (await rig.RunAsync("submit", "Once"))
        {
        }

        using (var host = await rig.RunWithFaultAsync(fault, "submit", "Bulky*120,Once*10", isOfFile: true))
        {
            Assert.NotEqual(fault.Contains("KILL", StringComparison.Ordinal), host.Said.Contains("stopped", StringComparison.Ordinal));
        }

        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        Assert.True(jobs.Count > 50, $"{jobs.Count}");
    }

    [Theory, Trait("Kind", "Long")]
    [InlineData("pwrite64:signal=KILL:when=1000")]
    [InlineData("pwrite64:signal=KILL:when=4000")]
    [InlineData("pwrite64:error=EIO:when=2000")]
    [InlineData("pwrite64:error=ENOSPC:when=1000+")]
    [InlineData("fsync:signal=KILL:when=1")]
    [InlineData("fsync:error=ENOSPC:when=1")]
    public Task What_was_acknowledged_survives_any_fault_while_the_log_is_copied_into_the_file(string fault) => What_was_acknowledged_survives_a_fault_while_the_log_is_copied_into_the_file(fault);

    private static async Task FailAtAsync(string call, string error, string when)
    {
        using var rig = new FaultRig();
        using (var host = await rig.RunWithFaultAsync($"{call}:{error}:when={when}", "submit", Mix))
        {
            // It stops by itself: because all has ended, because the store is closed, or because it could not be opened.
            Assert.True(host.Said.Contains("stopped", StringComparison.Ordinal) || host.Said.Contains("cannot be opened", StringComparison.Ordinal), $"{call} {when}: {host.Said}");
        }

        await rig.FinishAsync();
        await rig.CheckAsync();
    }
}
