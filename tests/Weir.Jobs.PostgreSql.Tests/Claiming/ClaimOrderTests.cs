using System.Globalization;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Claiming;

/// <summary>Claims of one process at a time have the order of the store in memory, whatever kinds, keys, priorities and limits there are.</summary>
public sealed class ClaimOrderTests(PostgreSqlServer server) : ClaimingTable(server)
{
    private static readonly string[] Kinds = ["a", "b", "c"];
    private static readonly string[] SomeKeys = ["", "k", "l", "m", "é", "🌊"];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Random_claims_are_those_of_the_store_in_memory(int seed)
    {
        var random = new Random(seed);
        await using var memory = new MemoryJobStore();
        await using var replica = await ClaimingReplica.OpenAsync(Database);
        var turns = new Dictionary<string, JobTurn>(StringComparer.Ordinal);
        List<(Guid Id, long Fence, string Kind)> running = [];
        HashSet<string> paused = new(StringComparer.Ordinal);
        var claimed = 0;
        for (var step = 0; step < 150; step++)
        {
            // Once there are few keys with many jobs each, and once nearly as many keys as jobs.
            var batch = new JobBatch(Now);
            for (var count = random.Next(3) == 0 ? random.Next(100) : 0; count > 0; count--)
            {
                batch.Jobs.Add(Job(random, seed * 100_000 + step * 100 + count, step / 30 % 2 == 0 ? SomeKeys[random.Next(step % 30 < 10 ? 1 : SomeKeys.Length)] : random.Next(100).ToString(CultureInfo.InvariantCulture)));
            }

            for (var count = running.Count == 0 ? 0 : random.Next(60); count > 0 && running.Count > 0; count--)
            {
                var (id, fence, _) = running[^1];
                running.RemoveAt(running.Count - 1);
                batch.Actions.Add(new JobAction { Id = id, Happened = JobEvent.Succeeded, Kind = new(), Moment = new JobMoment(Now, 0) { Fence = fence } });
            }

            if (random.Next(10) == 0)
            {
                var kind = Kinds[random.Next(3)];
                batch.Pauses.Add(new KindPause(kind, paused.Add(kind) || !paused.Remove(kind)));
            }

            await WriteAsync(batch);
            var claims = random.Next();
            JobBatch[] both = [Draw(new Random(claims), turns), Draw(new Random(claims), turns)];
            if (!batch.IsEmpty)
            {
                await memory.CommitAsync(batch);
            }

            await memory.CommitAsync(both[0]);
            await replica.ClaimAsync(both[1], paused);
            for (var index = 0; index < both[0].Claims.Count; index++)
            {
                var (expected, actual) = (both[0].Claims[index], both[1].Claims[index]);
                var place = $"Seed {seed}, step {step}, claim {index}";
                Assert.True(expected.Jobs.Select(static job => job.Record.Id).SequenceEqual(actual.Jobs.Select(static job => job.Record.Id)), $"{place}: {Text(expected)} is not {Text(actual)}");
                Assert.Equal(expected.Kinds.Select(kind => $"{place}: {kind.Kind} {kind.Turn} {kind.IsEmpty}"), actual.Kinds.Select(kind => $"{place}: {kind.Kind} {kind.Turn} {kind.IsEmpty}"));
                Assert.All(expected.Jobs.Zip(actual.Jobs), static pair => Assert.Equal(pair.First.Record.Status with { Due = default }, pair.Second.Record.Status with { Due = default }));
                running.AddRange(actual.Jobs.Select(static job => (job.Record.Id, job.Record.Status.Fence, job.Record.Kind)));
                claimed += actual.Jobs.Count;
                foreach (var kind in actual.Kinds)
                {
                    turns[kind.Kind] = kind.Turn;
                }
            }

            running = [.. running.OrderBy(_ => random.Next())];
        }

        Assert.InRange(claimed, 500, int.MaxValue);
    }

    private static string Text(JobClaim claim) => string.Join(' ', claim.Jobs.Select(static job => $"{job.Record.Kind}:{(int)job.Record.Priority}:{job.Record.Key}"));

    private static NewJob Job(Random random, int number, string key)
    {
        var id = new byte[16];
        BitConverter.TryWriteBytes(id, number);
        return new NewJob { Id = new Guid(id), Kind = Kinds[random.Next(3)], Signature = 1, Arguments = default, Submitted = Now, Due = Now, Key = key, Priority = random.Next(3) == 0 ? (JobPriority)random.Next(-1, 2) : JobPriority.Normal };
    }

    private static JobBatch Draw(Random random, Dictionary<string, JobTurn> turns)
    {
        var batch = new JobBatch(Now);
        for (var count = random.Next(1, 3); count > 0; count--)
        {
            var kinds = Kinds.ToArray();
            random.Shuffle(kinds);
            batch.Claims.Add(Claim(random.Next(8) == 0 ? random.Next(200) : random.Next(20), [.. kinds.Take(random.Next(1, 4)).Select(kind =>
                Of(kind, random.Next(4) == 0 ? random.Next(100) : random.Next(10), random.Next(3) == 0 ? new KindLimits(random.Next(2) == 0 ? random.Next(1, 4) : null, random.Next(3) == 0 ? random.Next(1, 40) : null) : null, turns.GetValueOrDefault(kind)))]));
        }

        return batch;
    }

    private async Task WriteAsync(JobBatch batch)
    {
        await using var connection = await Database.OpenAsync(Stop);
        foreach (var action in batch.Actions)
        {
            await ExecuteAsync(connection, $"DELETE FROM {Database.Schema}.job WHERE id = '{action.Id}' AND state = 3");
        }

        foreach (var job in batch.Jobs)
        {
            await ExecuteAsync(connection, Insert($"'{job.Key}'", $"'{job.Id}'::uuid", job.Kind, (int)job.Priority, 1, "(SELECT 1 AS n) AS one"));
        }
    }
}
