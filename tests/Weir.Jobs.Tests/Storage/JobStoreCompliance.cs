using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>
/// What every store does alike, but for what <see cref="JobStateCompliance"/> has, which runs beside it. The cases are in the classes that it inherits, by topic; here is what takes all of them together: random batches, each answered as the store in memory answers it.
/// </summary>
public abstract class JobStoreCompliance : JobKeepingCompliance
{
    private const int Batches = 2_000;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public virtual async Task Random_batches_are_answered_as_by_the_store_in_memory(int seed)
    {
        var batches = new RandomBatches(seed * 1_000_000);
        await using var reference = new MemoryJobStore();
        for (var number = 1; number <= Batches; number++)
        {
            var copies = batches.Next(2);
            if (copies[0].IsEmpty)
            {
                continue;
            }

            await reference.CommitAsync(copies[0]);
            await Store.CommitAsync(copies[1]);
            SameAnswers(copies[0], copies[1]);
            batches.Learn(copies[0]);
            if (number % 500 == 0)
            {
                await SameContentAsync(reference, batches.Ids);
                if (Store.IsDurable)
                {
                    await ReopenAsync(killed: number % 1_000 == 0);
                    await SameContentAsync(reference, batches.Ids);
                }
            }
        }

        // It is no proof when nothing happened.
        var counts = await CountAsync();
        Assert.Equal(Enum.GetValues<JobState>(), counts.Select(static count => count.State).Distinct().Order());
        Assert.True(batches.Ids.Count > Batches, $"{batches.Ids.Count} jobs in {Batches} batches.");
    }

    [Fact]
    public async Task Reads_may_be_concurrent_with_commits()
    {
        var job = await StartAsync();
        using var stop = new CancellationTokenSource();
        var reader = Task.Run(async () =>
        {
            var last = 0;
            while (!stop.IsCancellationRequested)
            {
                // Whatever is seen is whole: the items that the record counts, at least, can be read.
                var count = (await FindAsync(job)).Items;
                var items = await ItemsAsync(job);
                Assert.InRange(items.Count, Math.Max(count, last), 200);
                Assert.Equal(Enumerable.Range(0, items.Count).Select(static index => $"{index}"), items.Select(Text));
                await ListAsync(new JobQuery());
                await CountAsync();
                last = items.Count;
            }
        });
        for (var index = 0; index < 200; index++)
        {
            await AppendAsync(job, 1, Bytes($"{index}"));
            await AcceptAsync(Job("Other/Kind"));
        }

        await stop.CancelAsync();
        await reader;
        Assert.Equal(200, (await ItemsAsync(job)).Count);
    }

    private static void SameAnswers(JobBatch expected, JobBatch actual)
    {
        Assert.Equal((expected.NextDue, expected.IsBehind), (actual.NextDue, actual.IsBehind));
        Assert.Equal(expected.Expired, actual.Expired);
        Assert.Equal(
            expected.ScheduleChanges.Select(static change => (change.IsApplied, change.IsSkipped, change.Record)), actual.ScheduleChanges.Select(static change => (change.IsApplied, change.IsSkipped, change.Record)));
        Assert.Equal(expected.Schedules?.Select(static schedule => schedule.Record), actual.Schedules?.Select(static schedule => schedule.Record));
        Assert.Equal(expected.ReadyKinds.Order(StringComparer.Ordinal), actual.ReadyKinds.Order(StringComparer.Ordinal));
        Assert.Equal(expected.Items.Select(static items => (items.Verdict, items.Count)), actual.Items.Select(static items => (items.Verdict, items.Count)));
        Assert.Equal(expected.Actions.Select(static action => (action.Before, action.Change)), actual.Actions.Select(static action => (action.Before, action.Change)));
        Assert.Equal(expected.Jobs.Select(static job => (job.Existing, job.IsKeyReused, job.IsRefused)), actual.Jobs.Select(static job => (job.Existing, job.IsKeyReused, job.IsRefused)));
        foreach (var (one, other) in expected.Jobs.Zip(actual.Jobs))
        {
            Assert.Equal(one.Claimed is null, other.Claimed is null);
            if (one.Claimed is not null)
            {
                Same(one.Claimed, other.Claimed!);
            }
        }

        foreach (var (one, other) in expected.Claims.Zip(actual.Claims))
        {
            Assert.Equal(one.Jobs.Select(static job => job.Record.Id), other.Jobs.Select(static job => job.Record.Id));
            Assert.Equal(one.Kinds.Select(static kind => (kind.Turn, kind.IsEmpty)), other.Kinds.Select(static kind => (kind.Turn, kind.IsEmpty)));
            Assert.All(one.Jobs.Zip(other.Jobs), static pair => Same(pair.First, pair.Second));
        }
    }

    private static void Same(ClaimedJob expected, ClaimedJob actual)
    {
        Same(expected.Record, actual.Record);
        Same(expected.Arguments, actual.Arguments);
    }

    private async Task SameContentAsync(MemoryJobStore reference, List<Guid> ids)
    {
        var none = TestContext.Current.CancellationToken;
        foreach (var id in ids)
        {
            var (expected, actual) = (await reference.FindAsync(id, none), await TryFindAsync(id));
            Assert.Equal(expected is null, actual is null);
            if (expected is null)
            {
                continue;
            }

            Same(expected, actual!);
            Same((await reference.FindCallAsync(id, none))!.Arguments, (await CallAsync(id)).Arguments);
            Assert.Equal(Hex(await reference.ReadResultAsync(id, none)), Hex(await ResultAsync(id)));
            Assert.Equal((await reference.ReadAttemptsAsync(id, none)).Select(Line), (await AttemptsAsync(id)).Select(Line));
            var items = await ItemsAsync(id);
            Assert.Equal(expected.Items, items.Count);
            Assert.Equal((await reference.ReadItemsAsync(id, expected.Run, 0, none)).Select(static item => Hex(item)), items.Select(static item => Hex(item)));
        }

        var query = new JobQuery { Limit = 1_000 };
        Assert.Equal((await reference.ListAsync(query, none)).Select(static record => record.Id), (await ListAsync(query)).Select(static record => record.Id));
        Assert.Equal(await reference.ListSchedulesAsync(none), await Store.ListSchedulesAsync(none));
        Assert.Equal(await EndedAsync(reference), await EndedAsync(Store));
        Assert.Equal(
            (await reference.CountWaitingAsync(1_000, none)).OrderBy(static kind => kind.Kind, StringComparer.Ordinal), (await Store.CountWaitingAsync(1_000, none)).OrderBy(static kind => kind.Kind, StringComparer.Ordinal));
        Assert.Equal((await reference.CountAsync(none)).Order(Comparer<JobCount>.Create(static (a, b) => (a.Kind, a.State).CompareTo((b.Kind, b.State)))), await CountAsync());
    }

    private static string Line(JobAttempt attempt) => $"{attempt.Fence} {attempt.Started:O} {attempt.Ended:O} {attempt.Happened} {attempt.Stop} {Hex(attempt.Failure)}";

    private static string? Hex(ReadOnlyMemory<byte>? bytes) => bytes is { } some ? Convert.ToHexString(some.Span) : null;
}
