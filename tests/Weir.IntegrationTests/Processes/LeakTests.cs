using Xunit;

namespace Weir.IntegrationTests.Processes;

[Collection(nameof(Alone))]
public class LeakTests
{
    [Fact]
    public async Task Two_hundred_workers_leave_no_zombie_no_descriptor_and_no_page()
    {
        // Warm up: the two threads of this process, their descriptors, pools of the runtime.
        await SpawnAndEndAsync(20);
        var before = ProcFiles.OwnDescriptors();
        await SpawnAndEndAsync(200);
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.Zombies().Count == 0 && ProcFiles.OwnDescriptors() <= before + 1, TimeSpan.FromSeconds(60)), $"{ProcFiles.OwnDescriptors()} descriptors after {before}, {ProcFiles.Zombies().Count} zombies");
        Assert.DoesNotContain("weir-shared", await File.ReadAllTextAsync("/proc/self/maps"), StringComparison.Ordinal);
    }

    // Eight at a time; half are killed, half end by themselves while they are killed.
    private static Task SpawnAndEndAsync(int count) =>
        Parallel.ForEachAsync(Enumerable.Range(0, count), new ParallelOptions { MaxDegreeOfParallelism = 8 }, async (i, _) =>
        {
            await using var launched = i % 2 == 0
                ? await Launched.StartAsync("/bin/sleep", ["60"])
                : await Launched.ShellAsync("exit 5");
            launched.Worker.Kill();
            var report = await launched.ExitAsync();
            Assert.True(report.Signal == 9 || (i % 2 == 1 && report.ExitCode == 5), $"{i}: {report}");
        });
}
