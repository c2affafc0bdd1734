using System.Globalization;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Faults;

/// <summary>The host ends in the middle of something: at a write, at a sync, at any time, by its own job.</summary>
public sealed class KilledHostTests
{
    private const string Mix = "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4";

    [Theory]
    [InlineData("pwrite64", 12)]
    [InlineData("pwrite64", 90)]
    [InlineData("pwrite64", 230)]
    [InlineData("fsync", 5)]
    [InlineData("fsync", 14)]
    [InlineData("fsync", 27)]
    public async Task A_host_that_is_killed_at_a_write_or_a_sync_loses_nothing_and_starts_nothing_twice(string call, int when) =>
        Assert.True(await KillAtAsync(call, when), "It ran to its end.");

    [Theory, Trait("Kind", "Long")]
    [InlineData("pwrite64")]
    [InlineData("fsync")]
    public async Task A_host_that_is_killed_at_any_write_or_sync_loses_nothing_and_starts_nothing_twice(string call)
    {
        var when = 1;
        while (await KillAtAsync(call, when))
        {
            when++;
        }

        Assert.True(when > 15, $"It ran to its end with {when}.");
    }

    [Fact]
    public Task A_host_that_is_killed_at_a_random_time_three_times_loses_nothing() => KillOftenAsync(3, 5);

    [Fact, Trait("Kind", "Long")]
    public Task A_host_that_is_killed_at_a_random_time_fifty_times_loses_nothing() => KillOftenAsync(50, 6);

    [Fact]
    public async Task A_job_that_ends_its_host_is_started_once_and_the_others_complete()
    {
        using var rig = new FaultRig();
        using (var first = rig.Start("submit", "Once*5,EndsHost,Repeatable*5", "--Seed", "0", "--Submitters", "1"))
        {
            Assert.NotEqual(0, await first.ExitAsync());
        }

        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        var ended = Assert.Single(jobs.Values, static one => one.Job.Kind == "Work/EndsHost");
        Assert.Equal((JobState.Failed, JobReason.Lost, 1), (ended.Job.Status.State, ended.Job.Status.Reason, rig.Starts()[ended.Job.Id]));
        Assert.Equal(JobEvent.OwnerLost, Assert.Single(ended.Attempts).Happened);
        Assert.Equal(5, jobs.Values.Count(static one => one.Job.Kind == "Work/Once"));
        AssertOthersCompleted(jobs, "Work/EndsHost");
    }

    [Fact]
    public async Task An_idempotent_job_that_ends_its_host_does_so_five_times_at_most_and_the_others_complete()
    {
        using var rig = new FaultRig();
        using (var first = rig.Start("submit", "Once*5,EndsHostRepeatable,Once*5", "--Seed", "0", "--Submitters", "1"))
        {
            Assert.NotEqual(0, await first.ExitAsync());
        }

        var restarts = 0;
        while (true)
        {
            using var next = rig.Start("finish");
            if (await next.ExitAsync() == 0)
            {
                break;
            }

            Assert.True(++restarts < 10, next.Said);
        }

        var jobs = await rig.CheckAsync();
        var ended = Assert.Single(jobs.Values, static one => one.Job.Kind == "Work/EndsHostRepeatable");
        Assert.Equal((JobState.Failed, JobReason.Lost, 5), (ended.Job.Status.State, ended.Job.Status.Reason, rig.Starts()[ended.Job.Id]));
        Assert.Equal(4, restarts);
        AssertOthersCompleted(jobs, "Work/EndsHostRepeatable");
    }

    // What ran beside it may be lost with it.
    private static void AssertOthersCompleted(Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)> jobs, string kind) => Assert.All(
        jobs.Values.Where(one => one.Job.Kind != kind),
        static one => Assert.True(one.Job.Status is { State: JobState.Succeeded } or { State: JobState.Failed, Reason: JobReason.Lost } && (one.Job.Status.State == JobState.Succeeded || !FaultFiles.IsIdempotent(one.Job.Kind)), $"{one.Job.Kind} is {one.Job.Status.State}"));

    private static async Task<bool> KillAtAsync(string call, int when)
    {
        using var rig = new FaultRig();
        using var host = await rig.RunWithFaultAsync(string.Create(CultureInfo.InvariantCulture, $"{call}:signal=KILL:when={when}"), "submit", Mix);
        await rig.FinishAsync();
        await rig.CheckAsync();
        return !host.Said.Contains("stopped", StringComparison.Ordinal);
    }

    private static async Task KillOftenAsync(int rounds, int seed)
    {
        using var rig = new FaultRig();
        var random = new Random(seed);
        for (var round = 0; round < rounds; round++)
        {
            var before = rig.Answers().Count;
            using var host = rig.Start("load", Mix + ",Slow*6,SlowRepeatable*4,Isolated*2,IsolatedRepeatable*2", "--Seed", $"{seed + round}");
            await host.SaysAsync("started");
            await rig.WorksAsync(host, before);
            await Task.Delay(random.Next(600), TestContext.Current.CancellationToken);
            await host.KillAsync();
        }

        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        Assert.True(jobs.Count > rounds, $"{jobs.Count} jobs.");

        // An idempotent one may be lost as often as its host.
        Assert.All(jobs.Values, static one => Assert.True(
            one.Job.Status.State == JobState.Succeeded || one.Job.Status.Reason == JobReason.Lost || (one.Job.Kind == "Work/Flaky" && one.Job.Status.Reason == JobReason.Exception), $"{one.Job.Kind} is {one.Job.Status.Reason}"));
    }
}
