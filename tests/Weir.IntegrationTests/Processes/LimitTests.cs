using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Execution.Processes.Linux.Limits;
using Xunit;

namespace Weir.IntegrationTests.Processes;

public class LimitTests
{
    [Fact]
    public async Task The_memory_limit_is_the_kernels_own_figure_and_no_core_is_dumped()
    {
        await using var launched = await Launched.StartAsync("/bin/sleep", ["60"], new WorkerLimits { MemoryBytes = 256L << 20 });
        var limits = File.ReadAllLines($"/proc/{launched.Worker.ProcessId}/limits");
        Assert.Equal(["268435456", "268435456"], Values(limits, "Max data size"));
        Assert.Equal(["0", "0"], Values(limits, "Max core file size"));
    }

    [Fact]
    public async Task Without_a_limit_the_hosts_own_stays()
    {
        await using var launched = await Launched.StartAsync("/bin/sleep", ["60"]);
        var host = File.ReadAllLines("/proc/self/limits");
        var worker = File.ReadAllLines($"/proc/{launched.Worker.ProcessId}/limits");
        Assert.Equal(Values(host, "Max data size"), Values(worker, "Max data size"));
    }

    [Fact]
    public async Task A_worker_that_takes_more_fails_alone()
    {
        // awk doubles a string without end; under 64 MB it fails after a few doublings.
        await using var launched = await Launched.StartAsync(
            "/usr/bin/awk", ["BEGIN { s = \"xxxxxxxxxxxxxxxx\"; while (1) s = s s }"], new WorkerLimits { MemoryBytes = 64L << 20 });
        var report = await launched.ExitAsync();
        Assert.NotEqual(0, report.ExitCode);
    }

    [Fact]
    public async Task A_limit_that_cannot_be_applied_leaves_no_worker_behind()
    {
        var spawned = 0;
        var launcher = new LinuxLauncher((pid, _, _) =>
        {
            spawned = pid;
            throw new LaunchException(WeirCodes.LimitNotApplied, "refused");
        });
        var failure = await Assert.ThrowsAsync<LaunchException>(() => launcher.LaunchAsync(new LaunchRequest
        {
            FileName = "/bin/sleep",
            Arguments = ["60"],
            Environment = new Dictionary<string, string>(),
            Output = new Launched.LineLog(),
        }));
        Assert.Equal(WeirCodes.LimitNotApplied, failure.Code);
        Assert.NotEqual(0, spawned);
        Assert.Null(ProcFiles.Stat(spawned));
    }

    [Fact]
    public async Task A_limit_on_a_process_that_is_gone_is_an_error_that_names_it()
    {
        await using var launched = await Launched.StartAsync("/bin/true", []);
        await launched.ExitAsync();
        var failure = Assert.Throws<LaunchException>(() => LinuxLimits.Apply(launched.Worker.ProcessId, new WorkerLimits { MemoryBytes = 1 << 30 }, group: null));
        Assert.Equal(WeirCodes.LimitNotApplied, failure.Code);
        Assert.Contains("errno 3", failure.Message, StringComparison.Ordinal);
    }

    private static string[] Values(string[] limits, string name) =>
        limits.Single(line => line.StartsWith(name, StringComparison.Ordinal))[name.Length..]
            .Split(' ', StringSplitOptions.RemoveEmptyEntries)[..2];
}
