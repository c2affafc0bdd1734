using System.Diagnostics;
using System.Globalization;

namespace Weir.Jobs.Tests.Faults;

/// <summary>The disk is full while jobs come, run, and are to be drained.</summary>
public sealed class FullDiskTests
{
    [Fact]
    public async Task Jobs_on_a_full_disk_are_refused_and_the_others_survive()
    {
        using var disk = SmallDisk.TryMount(megabytes: 68);
        Assert.SkipWhen(disk is null, "No file system can be mounted here.");
        using var rig = new FaultRig(disk.Name);
        disk.Fill(leave: 63 * 1024 * 1024);
        using (await rig.RunAsync("submit", "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4"))
        {
        }

        Assert.All(rig.Answers(), static answer => Assert.Equal(["rejected", WeirCodes.JobStoreUnavailable], answer));
        disk.Empty();
        using (await rig.RunAsync("submit", "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4"))
        {
        }

        Assert.Equal(46, (await rig.CheckAsync()).Count);
    }

    [Fact]
    public async Task A_disk_that_becomes_full_while_jobs_run_delays_them()
    {
        using var disk = SmallDisk.TryMount(megabytes: 80);
        Assert.SkipWhen(disk is null, "No file system can be mounted here.");
        using var rig = new FaultRig(disk.Name);

        // Jobs come until it is stopped, so that some run whenever the disk becomes full; it may drain for as long as they take on any machine.
        using (var host = rig.Start("load", "Slow,SlowRepeatable,Pages*2", "--Pause", "00:00:00.050", "--Weir:Jobs:DrainTimeout", "00:00:40", "--Shutdown", "00:00:50"))
        {
            await rig.AnswersAsync(host, "accepted", 20);
            disk.Fill(leave: 0);
            await rig.AnswersAsync(host, "rejected", 8);
            disk.Empty();
            await rig.AnswersAsync(host, "accepted", 20);
            host.Terminate();
            Assert.True(await host.ExitAsync() == 0, host.Said);
            Assert.Contains("stopped", host.Said, StringComparison.Ordinal);
        }

        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        Assert.All(jobs.Values, static one => Assert.Equal(JobState.Succeeded, one.Job.Status.State));
    }

    [Fact]
    public async Task A_host_whose_store_cannot_write_stops_in_time()
    {
        using var rig = new FaultRig();

        // In this order: one of Long that had not begun when the disk was full would begin later and run for ten minutes.
        using var host = rig.StartWithFault("pwrite64:error=ENOSPC:when=200+", "submit", "Long*2,Slow*10,SlowRepeatable*10,Once*40", arguments: ["--Seed", "0"]);
        await Task.Delay(2_500, TestContext.Current.CancellationToken);
        Assert.SkipWhen(host.Said.Contains("ptrace", StringComparison.OrdinalIgnoreCase), $"strace may not trace: {host.Said}");
        Assert.False(host.HasExited, host.Said);
        var began = Stopwatch.GetTimestamp();
        TerminateChild(host);
        await host.ExitAsync();

        // What runs cannot be written, and is given up.
        Assert.True(Stopwatch.GetElapsedTime(began) <= StoppedHostTests.Most, $"It took {Stopwatch.GetElapsedTime(began)}: {host.Said}");
        await rig.FinishAsync();
        await rig.CheckAsync();
    }

    private static void TerminateChild(HostProcess strace)
    {
        var children = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{strace.Id}/task/{strace.Id}/children")).Split(' ', StringSplitOptions.RemoveEmptyEntries);
        using var kill = Process.Start("kill", ["-TERM", Assert.Single(children)]);
        kill.WaitForExit();
    }
}
