using System.Globalization;
using Weir.Jobs.PostgreSql.Tests.Servers;

namespace Weir.Jobs.PostgreSql.Tests.Faults;

/// <summary>Versions of an application run beside each other, and several processes have the same schedules.</summary>
public sealed class DeploymentTests(PostgreSqlServer server)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task In_a_rolling_deployment_each_version_runs_what_it_understands(bool isBack)
    {
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        using var before = await rig.RunnerAsync(isNext: isBack);
        using var submitter = await rig.SubmitterAsync("Changed*5,Once*5", isNext: isBack);
        await rig.AnswersAsync(40);

        // Both run, and both submit.
        using var after = await rig.RunnerAsync(isNext: !isBack);
        using var next = await rig.SubmitterAsync("Changed*5,Once*5", isNext: !isBack);
        await rig.AnswersAsync(80);
        await ReplicaRig.StopAsync(submitter);
        await WhenEndedAsync(rig);
        await ReplicaRig.StopAsync(before);
        await rig.AnswersAsync(40);
        await ReplicaRig.StopAsync(next);
        await WhenEndedAsync(rig);
        await ReplicaRig.StopAsync(after);
        var jobs = await rig.JobsAsync();
        rig.Files.Check(jobs);
        Assert.Empty(ReplicaRig.Failed(jobs));
        Assert.All(jobs.Values, static one => Assert.Equal(1, one.Job.Status.Starts));
    }

    [Fact]
    public async Task Each_occurrence_of_a_schedule_becomes_one_job_however_many_processes_have_it_also_while_its_cron_text_changes()
    {
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        string[] every = ["--Weir:Jobs:Schedules:tick:Kind", "Work/Tick", "--Weir:Jobs:Schedules:tick:Cron"];
        using var one = await rig.RunnerAsync(port: null, isNext: false, [.. every, "* * * * * *"]);
        using var two = await rig.RunnerAsync(port: null, isNext: false, [.. every, "* * * * * *"]);
        await TicksAsync(rig, 6);
        using var three = await rig.RunnerAsync(port: null, isNext: false, [.. every, "*/2 * * * * *"]);
        await TicksAsync(rig, 4);
        await ReplicaRig.StopAsync(one);
        await ReplicaRig.StopAsync(two);
        await TicksAsync(rig, 2);
        await ReplicaRig.StopAsync(three);
        var ticks = Ticks(rig);
        Assert.Equal(ticks.Length, ticks.Distinct().Count());

        // Occurrences that are due together, because the processors were busy, are one run.
        Assert.Equal(TimeSpan.TicksPerSecond, ticks.Order().Zip(ticks.Order().Skip(1), static (a, b) => b - a).Take(5).Min());
    }

    private static long[] Ticks(ReplicaRig rig) => [.. rig.Files.Oracle().Where(static line => line[0] == "tick").Select(static line => long.Parse(line[2], CultureInfo.InvariantCulture))];

    private static async Task TicksAsync(ReplicaRig rig, int more)
    {
        for (var before = Ticks(rig).Length; Ticks(rig).Length < before + more;)
        {
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    // Of those that there are now: another version still submits.
    private static async Task WhenEndedAsync(ReplicaRig rig)
    {
        var open = await OpenAsync(rig);
        while (open.Overlaps(await OpenAsync(rig)))
        {
            await Task.Delay(100, TestContext.Current.CancellationToken);
        }
    }

    private static async Task<HashSet<Guid>> OpenAsync(ReplicaRig rig) => [.. (await rig.JobsAsync()).Where(static one => !one.Value.Job.Status.HasEnded).Select(static one => one.Key)];
}
