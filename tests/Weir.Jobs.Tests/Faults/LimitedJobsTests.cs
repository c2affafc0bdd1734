using System.Diagnostics;
using System.Globalization;

namespace Weir.Jobs.Tests.Faults;

/// <summary>What is limited stays limited while hosts and workers are killed. The code of a job holds a lock of its key, which its process gives back when it ends.</summary>
public sealed class LimitedJobsTests
{
    [Fact]
    public Task Two_jobs_of_one_key_never_run_at_once_while_hosts_and_workers_are_killed() => KillAsync(rounds: 3, seed: 11);

    [Fact, Trait("Kind", "Long")]
    public Task Two_jobs_of_one_key_never_run_at_once_while_hosts_and_workers_are_killed_forty_times() => KillAsync(rounds: 40, seed: 12);

    private static async Task KillAsync(int rounds, int seed)
    {
        using var rig = new FaultRig();
        var random = new Random(seed);
        for (var round = 0; round < rounds; round++)
        {
            using var host = rig.Start("load", "Alone*3,IsolatedAlone*3", "--Seed", $"{seed + round}", "--Submitters", "1");
            await host.SaysAsync("started");
            for (var kills = random.Next(3, 8); kills > 0; kills -= KillWorker(host, random) ? 1 : 0)
            {
                Assert.False(host.HasExited, host.Said);
                await Task.Delay(random.Next(20, 120), TestContext.Current.CancellationToken);
            }

            await host.KillAsync();
        }

        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        Assert.DoesNotContain(rig.Oracle(), static line => line[0] == "beside");
        foreach (var kind in new[] { "Work/AloneRepeatable", "IsolatedWork/AloneRepeatable" })
        {
            Assert.InRange(jobs.Values.Count(one => one.Job.Kind == kind && one.Job.Status.State == JobState.Succeeded), 3 * rounds, int.MaxValue);
        }
    }

    private static bool KillWorker(HostProcess host, Random random)
    {
        try
        {
            var workers = Directory.GetDirectories(string.Create(CultureInfo.InvariantCulture, $"/proc/{host.Id}/task"))
                .SelectMany(static thread => File.ReadAllText(Path.Combine(thread, "children")).Split(' ', StringSplitOptions.RemoveEmptyEntries)).ToArray();
            if (workers.Length == 0)
            {
                return false;
            }

            using var worker = Process.GetProcessById(int.Parse(workers[random.Next(workers.Length)], CultureInfo.InvariantCulture));
            worker.Kill();
            return true;
        }
        catch (Exception gone) when (gone is IOException or ArgumentException or InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            // It, or a thread of the host, has ended since.
            return false;
        }
    }
}
