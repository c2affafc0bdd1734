using System.Globalization;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>
/// The machine loses power at any moment of a recorded run: the disk has what was synced, and of what was written since, any part. Nothing that was acknowledged is lost, and nothing starts twice.
/// </summary>
public sealed class PowerCutTests(ITestOutputHelper output)
{
    private static readonly Loss[] Losses = Enum.GetValues<Loss>();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task What_was_acknowledged_survives_a_power_cut_at_sampled_moments() => await CutAsync(await Recording.SmallAsync(), seed: 1, (random, _, isAtSync) => random.Next(isAtSync ? 3 : 40) == 0 ? 1 : 0);

    [Fact, Trait("Kind", "Long")]
    public async Task What_was_acknowledged_survives_a_power_cut_at_any_moment()
    {
        var recording = await Recording.SmallAsync();
        await CutAsync(recording, seed: 2, static (_, _, isAtSync) => isAtSync ? 5 * Losses.Length : 2);
    }

    [Fact, Trait("Kind", "Long")]
    public async Task What_was_acknowledged_survives_a_power_cut_while_the_log_is_copied_into_the_file()
    {
        var recording = await Recording.LargeAsync();
        await CutAsync(recording, seed: 3, (random, disk, isAtSync) => isAtSync ? disk.IsCopying(recording.Store) ? 2 * Losses.Length : 1 : random.Next(disk.IsCopying(recording.Store) ? 100 : 1000) == 0 ? 1 : 0);
    }

    [Theory]
    [InlineData(4, 2)]
    public async Task After_a_power_cut_nothing_that_was_claimed_is_started_again(int seed, int cuts)
    {
        var recording = await Recording.SmallAsync();
        var random = new Random(seed);
        for (var cut = 0; cut < cuts; cut++)
        {
            // Where much is running: in the first process, before it was killed, and in the others.
            var at = random.Next(recording.Ends[0] / 2, recording.Events.Count);
            var loss = Losses[random.Next(Losses.Length)];
            var (disk, witness) = recording.At(at);
            using var rig = new FaultRig();
            foreach (var (name, bytes) in disk.Cut(loss, random))
            {
                await File.WriteAllBytesAsync(Path.Combine(Path.GetDirectoryName(rig.Store)!, name), bytes, Stop);
            }

            await rig.FinishAsync();
            var started = witness.Started.Select(static one => one.Id).ToHashSet();
            foreach (var (id, job) in await rig.JobsAsync())
            {
                var what = $"Seed {seed}, after event {at}, {loss} lost: {job.Job.Kind} {id} is {job.Job.Status}.";
                Assert.True(job.Job.Status.HasEnded, what);
                Assert.True(!started.Contains(id) || job.Job.Kind is not ("Work/Once" or "Work/Echo" or "Work/Slow") || !rig.Starts().ContainsKey(id), what);
            }
        }
    }

    [Theory, Trait("Kind", "Long")]
    [InlineData(5, 60)]
    public Task After_any_power_cut_nothing_that_was_claimed_is_started_again(int seed, int cuts) => After_a_power_cut_nothing_that_was_claimed_is_started_again(seed, cuts);

    // Before each event. A sync is the last moment at which all before it can be lost.
    private async Task CutAsync(Recording recording, int seed, Func<Random, Disk, bool, int> count)
    {
        var random = new Random(seed);
        var (disk, witness) = (new Disk(), new Witness());
        using var image = new Image(recording.Store);
        for (var number = 0; number <= recording.Events.Count; number++)
        {
            var isAtSync = number < recording.Events.Count && recording.Events[number].Call is DiskCall.Sync or DiskCall.SyncDirectory;
            var cuts = count(random, disk, isAtSync);
            for (var cut = 0; cut < cuts; cut++)
            {
                var loss = cuts < Losses.Length ? Losses[random.Next(Losses.Length)] : Losses[cut % Losses.Length];
                image.Put(disk.Cut(loss, random));
                var what = string.Create(CultureInfo.InvariantCulture, $"Seed {seed}, image {image.Count}, before event {number} of {recording.Events.Count}, {loss} lost: ");
                try
                {
                    await CheckAsync(image, witness, recording);
                }
                catch (Exception error) when (error is InvalidOperationException or JobStoreException or SqliteException)
                {
                    Assert.Fail(what + error);
                }
                catch (Xunit.Sdk.XunitException error)
                {
                    Assert.Fail(what + error.Message);
                }
            }

            if (number < recording.Events.Count)
            {
                disk.Apply(recording.Events[number]);
                witness.Hear(recording.Events[number].Words);
            }
        }

        output.WriteLine($"{recording.Events.Count} events, {recording.Events.Count(static one => one.Call is DiskCall.Sync or DiskCall.SyncDirectory)} syncs, {recording.Jobs.Count} jobs, {image.Count} images.");
        Assert.True(image.Count > 50, $"{image.Count} images.");
    }

    private static async Task CheckAsync(Image image, Witness witness, Recording recording)
    {
        await using var store = image.New();
        var content = await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), Stop);
        using (var connection = new Connection(image.Store, mayWrite: false))
        {
            Assert.Equal("ok", connection.Query("PRAGMA integrity_check"));
        }

        var jobs = await StoredJob.ReadAllAsync(store, Stop);
        var lost = content.Lost.ToDictionary(static one => one.Id, static one => one.Fence);
        Assert.All(witness.Accepted, id => Assert.True(jobs.ContainsKey(id), $"{id} was acknowledged and is lost."));
        foreach (var (id, job) in jobs)
        {
            var status = job.Record.Status;
            Assert.True(recording.Jobs.TryGetValue(id, out var original) && job.HasContentOf(original), $"{job.Record} is not what was submitted.");

            // One outcome of each attempt, and an attempt without one belongs to a process that is gone.
            var fences = job.Attempts.Select(static one => one.Fence).ToList();
            Assert.True(fences.SequenceEqual(fences.Distinct().Order()) && fences.All(fence => status.State == JobState.Succeeded ? fence < status.Fence : fence <= status.Fence), $"{job.Record}: {string.Join(", ", fences)}");
            Assert.Equal(status.State == JobState.Succeeded, job.Result is not null);
            Assert.Equal(status.State == JobState.Running ? status.Fence : 0, lost.GetValueOrDefault(id));
            Assert.True(status.State != JobState.Ready || content.ReadyKinds.Contains(job.Record.Kind), $"{job.Record} is not offered.");
            Assert.True(status.State != JobState.Scheduled || content.NextDue <= status.Due, $"{job.Record} is not waited for.");
        }

        foreach (var id in witness.Ended)
        {
            var (job, original) = (jobs[id], recording.Jobs[id]);
            Assert.Equal(original.Record.Status, job.Record.Status);
            Assert.Equal((original.Result is null, original.Items.Count, original.Attempts.Count), (job.Result is null, job.Items.Count, job.Attempts.Count));
        }

        Assert.All(witness.Cancelled, id => Assert.True(jobs[id].Record.Status is { HasEnded: true } or { Stop: JobStop.Cancel }, $"The cancellation of {jobs[id].Record} is lost."));
        foreach (var (id, fence) in witness.Started)
        {
            // It is known that it was claimed: it waits again only where the end of that attempt is known, too.
            var status = jobs[id].Record.Status;
            Assert.True(
                status.Fence > fence || (status.Fence == fence && (!status.IsWaiting || jobs[id].Attempts.Any(one => one.Fence == fence))),
                $"Attempt {fence} of {jobs[id].Record} has started, and can start again.");
        }
    }
}
