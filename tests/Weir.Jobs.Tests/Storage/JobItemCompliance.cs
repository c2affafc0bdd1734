using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Items and progress of attempts.</summary>
public abstract class JobItemCompliance : JobOutcomeCompliance
{
    [Fact]
    public async Task Items_are_read_in_the_order_in_which_they_were_appended()
    {
        var job = await StartAsync();
        Assert.Equal((JobVerdict.Applied, 2), Answer(await AppendAsync(job, 1, Bytes("0"), Bytes("1"))));
        Assert.Equal((JobVerdict.Applied, 3), Answer(await AppendAsync(job, 1, Bytes("2"))));
        Assert.Equal(["0", "1", "2"], (await ItemsAsync(job)).Select(Text));
        Assert.Equal(3, (await FindAsync(job)).Items);
    }

    [Fact]
    public async Task Several_appends_of_a_job_in_one_commit_follow_each_other()
    {
        var (job, other) = (await StartAsync(), await StartAsync());
        NewItems[] appended =
        [
            new() { Id = job, Fence = 1, Items = [Bytes("0"), Bytes("1")] },
            new() { Id = other, Fence = 1, Items = [Bytes("other")] },
            new() { Id = job, Fence = 1, Items = [Bytes("2")] },
        ];
        await CommitAsync(batch => batch.Items.AddRange(appended));
        Assert.Equal([2L, 1L, 3L], appended.Select(static items => items.Count));
        Assert.Equal(["0", "1", "2"], (await ItemsAsync(job)).Select(Text));
        Assert.Equal(["other"], (await ItemsAsync(other)).Select(Text));
    }

    [Fact]
    public async Task Three_thousand_items_are_read_from_any_index()
    {
        var job = await StartAsync();
        for (var index = 0; index < 3_000; index += 100)
        {
            var first = index;
            Assert.Equal(index + 100, (await AppendAsync(job, 1, [.. Enumerable.Range(first, 100).Select(static number => Bytes($"{number}"))])).Count);
        }

        foreach (var from in new[] { 0, 1, 99, 100, 101, 1_234, 2_998, 2_999 })
        {
            Assert.Equal(Enumerable.Range(from, 3_000 - from).Select(static number => $"{number}"), (await ItemsAsync(job, from)).Select(Text));
        }

        Assert.Empty(await ItemsAsync(job, 3_000));
        Assert.Empty(await ItemsAsync(job, long.MaxValue / 2));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(64 * 1024)]
    [InlineData(300 * 1024)]
    [InlineData(1024 * 1024)]
    [InlineData((1024 * 1024) + 1)]
    public async Task An_item_of_any_size_is_read_back_between_others(int length)
    {
        var job = await StartAsync();
        var item = Bytes(length);
        await AppendAsync(job, 1, Bytes("before"), item, Bytes("after"));
        var items = await ItemsAsync(job);
        Assert.Equal(3, items.Count);
        Assert.Equal(("before", "after"), (Text(items[0]), Text(items[2])));
        Same(item, items[1]);
        Same(item, (await ItemsAsync(job, 1))[0]);
    }

    [Fact]
    public async Task One_read_has_about_a_megabyte_and_at_least_one_item()
    {
        var job = await StartAsync();
        for (var seed = 0; seed < 10; seed++)
        {
            await AppendAsync(job, 1, Bytes(300 * 1024, seed));
        }

        var read = await Store.ReadItemsAsync(job, 0, 2, TestContext.Current.CancellationToken);
        Assert.InRange(read.Count, 1, 7);
        Same(Bytes(300 * 1024, seed: 2), read[0]);
        var all = await ItemsAsync(job, 2);
        Assert.Equal(8, all.Count);
        Same(Bytes(300 * 1024, seed: 9), all[7]);
    }

    [Fact]
    public async Task Items_are_copied_from_the_memory_of_the_caller()
    {
        var job = await StartAsync();
        var bytes = new byte[] { 1, 2, 3 };
        await AppendAsync(job, 1, bytes);
        bytes[0] = 9;
        Same(new byte[] { 1, 2, 3 }, Assert.Single(await ItemsAsync(job)));
    }

    [Fact]
    public async Task Items_of_an_earlier_attempt_are_not_stored()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("0"));
        await ActAsync(job, JobEvent.Drained, Idempotent, fence: 1);
        await ClaimAsync();
        Assert.Equal((JobVerdict.Stale, 1), Answer(await AppendAsync(job, 1, Bytes("stale"))));
        Assert.Equal((JobVerdict.Applied, 2), Answer(await AppendAsync(job, 2, Bytes("1"))));
        Assert.Equal(["0", "1"], (await ItemsAsync(job)).Select(Text));
    }

    [Fact]
    public async Task Items_of_an_attempt_that_is_over_are_refused()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("0"));
        await ActAsync(job, JobEvent.OwnerLost, Idempotent, fence: 1);
        Assert.Equal((JobVerdict.Refused, 1), Answer(await AppendAsync(job, 1, Bytes("over"))));
        Assert.Equal(["0"], (await ItemsAsync(job)).Select(Text));
    }

    [Fact]
    public async Task Items_of_a_job_that_does_not_exist_are_refused()
    {
        var job = NextId();
        Assert.Equal((JobVerdict.Refused, 0), Answer(await AppendAsync(job, 1, Bytes("0"))));
        Assert.Empty(await ItemsAsync(job));
    }

    [Theory]
    [InlineData(JobEvent.CancelAsked)]
    [InlineData(JobEvent.TimedOut)]
    public async Task Items_of_a_job_that_is_to_stop_are_stored(object happened)
    {
        var job = await StartAsync();
        await ActAsync(job, (JobEvent)happened);
        Assert.Equal((JobVerdict.Applied, 1), Answer(await AppendAsync(job, 1, Bytes("0"))));
    }

    [Fact]
    public async Task Items_stay_when_the_job_succeeds_or_is_tried_again()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("0"));
        await ActAsync(job, JobEvent.AskedForRetry, fence: 1);
        Assert.Equal(1, (await ClaimAsync()).Record.Items);
        await AppendAsync(job, 2, Bytes("1"));
        await ActAsync(job, JobEvent.Succeeded, fence: 2, payload: "");
        Assert.Equal(["0", "1"], (await ItemsAsync(job)).Select(Text));
        Assert.Equal((2, 0), ((await FindAsync(job)).Items, (await FindAsync(job)).Run));
    }

    [Fact]
    public async Task A_retry_by_hand_drops_large_and_small_items()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("0"), Bytes(1024 * 1024), Bytes("2"));
        await ActAsync(job, JobEvent.Threw, fence: 1);
        await ActAsync(job, JobEvent.RetriedByHand);
        Assert.Empty(await ItemsAsync(job));
        await ClaimAsync();
        Assert.Equal((JobVerdict.Applied, 1), Answer(await AppendAsync(job, 3, Bytes("again"))));
        Assert.Equal(["again"], (await ItemsAsync(job)).Select(Text));
    }

    // ---- progress ----

    [Theory]
    [InlineData(0, null)]
    [InlineData(0.1, "")]
    [InlineData(1, "page 4 of 10 🌊")]
    public async Task Progress_is_read_back(double fraction, string? text)
    {
        var job = await StartAsync();
        Assert.Null((await FindAsync(job)).Progress);
        await ProgressAsync(job, 1, new JobProgress(fraction, text));
        Assert.Equal(new JobProgress(fraction, text), (await FindAsync(job)).Progress);
    }

    [Fact]
    public async Task The_last_progress_of_a_commit_counts()
    {
        var job = await StartAsync();
        await CommitAsync(batch => batch.Progress.AddRange([new(job, 1, new JobProgress(0.1, "a")), new(job, 1, new JobProgress(0.2, "b"))]));
        Assert.Equal(new JobProgress(0.2, "b"), (await FindAsync(job)).Progress);
    }

    [Fact]
    public async Task Progress_counts_only_while_the_job_runs_with_this_fence()
    {
        await ProgressAsync(NextId(), 1, new JobProgress(0.9, "none"));
        var waits = (await AcceptAsync(Job("Other/Kind"))).Id;
        await ProgressAsync(waits, 0, new JobProgress(0.9, "waits"));
        Assert.Null((await FindAsync(waits)).Progress);

        var job = await StartAsync();
        await ProgressAsync(job, 2, new JobProgress(0.9, "other"));
        Assert.Null((await FindAsync(job)).Progress);
        await ActAsync(job, JobEvent.OwnerLost, Idempotent, fence: 1);
        await ProgressAsync(job, 1, new JobProgress(0.9, "lost"));
        Assert.Null((await FindAsync(job)).Progress);
        await ClaimAsync();
        await ProgressAsync(job, 1, new JobProgress(0.9, "stale"));
        Assert.Null((await FindAsync(job)).Progress);
        await ProgressAsync(job, 2, new JobProgress(0.1, "now"));
        await ActAsync(job, JobEvent.Succeeded, fence: 2);
        await ProgressAsync(job, 2, new JobProgress(0.9, "over"));
        Assert.Equal(new JobProgress(0.1, "now"), (await FindAsync(job)).Progress);
    }

    private static (JobVerdict, long) Answer(NewItems items) => (items.Verdict, items.Count);

    private async Task ProgressAsync(Guid id, long fence, JobProgress progress) => await CommitAsync(batch => batch.Progress.Add(new NewProgress(id, fence, progress)));
}
