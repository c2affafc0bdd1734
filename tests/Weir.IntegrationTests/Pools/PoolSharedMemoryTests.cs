using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>Pools whose workers have a region: what they finished outlives them, what they have not started moves on, and what they write there may be anything.</summary>
public sealed class PoolSharedMemoryTests
{
    private const int MostTries = 40;

    [Fact]
    public async Task Results_that_were_finished_and_not_sent_are_delivered_after_a_death_and_the_rest_run_elsewhere()
    {
        await using var pool = await StartAsync();
        var calls = pool.DoTogether("hold a", "hold b", "signal 9", "behind");
        Assert.Equal("hold a", await calls[0]);
        Assert.Equal("hold b", await calls[1]);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => calls[2]);
        Assert.Equal("signal 9 (SIGKILL)", failure.Cause);
        Assert.Equal("behind", await calls[3]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(20)]
    public async Task A_frame_of_which_only_some_was_sent_is_made_whole_from_the_page(int sent)
    {
        await using var pool = await StartAsync();
        var calls = pool.DoTogether($"cut {sent} of a frame", "signal 9");
        Assert.Equal($"cut {sent} of a frame", await calls[0]);
        await Assert.ThrowsAsync<WorkerLostException>(() => calls[1]);
    }

    [Theory]
    [InlineData("committed")]
    [InlineData("origin")]
    [InlineData("buffer")]
    public async Task Shared_memory_with_impossible_values_gives_no_result_and_harms_no_other_call(string what)
    {
        await using var pool = await StartAsync();
        var calls = pool.DoTogether($"spoil {what}", "behind");
        await Assert.ThrowsAnyAsync<WeirException>(() => calls[0]);
        Assert.Equal("behind", await calls[1]);
        Assert.Equal("later", await pool.DoAsync("later"));
    }

    [Fact]
    public async Task A_worker_that_claims_to_have_sent_more_than_fits_is_ended_and_the_pool_continues()
    {
        await using var pool = await StartAsync();
        var failure = await Assert.ThrowsAsync<ProtocolViolationException>(() => pool.DoAsync("scribble sent"));
        Assert.Contains("ImpossibleSharedMemory", failure.Message, StringComparison.Ordinal);
        Assert.Equal("later", await pool.DoAsync("later"));
    }

    [Fact]
    public async Task A_worker_that_claims_to_have_taken_what_was_not_sent_is_ended_and_the_call_that_needed_the_space_runs_elsewhere()
    {
        await using var pool = await StartAsync();
        Assert.Equal("pretend", await pool.DoAsync("pretend"));
        Assert.Equal(new string('x', 200), await pool.DoAsync(new string('x', 2 << 20)));
        Assert.True(await pool.SettlesAsync(_ => pool.Log.Records.Any(static record => record.Text.Contains("ImpossibleSharedMemory", StringComparison.Ordinal))));
    }

    [Fact]
    public async Task Calls_that_may_have_started_are_not_run_again()
    {
        await using var pool = await StartAsync();

        // The pool must not withdraw the last call before the memory is overwritten.
        Assert.Equal("pinned", await pool.DoAsync("pin"));
        var calls = pool.DoTogether("hold a", "scribble settle", "behind");
        Assert.Equal("hold a", await calls[0]);
        await Assert.ThrowsAsync<WorkerLostException>(() => calls[1]);
        await Assert.ThrowsAsync<WorkerLostException>(() => calls[2]);
        Assert.Equal("later", await pool.DoAsync("later"));
    }

    [Fact]
    public async Task A_call_that_was_withdrawn_before_the_memory_was_overwritten_runs_in_another_worker()
    {
        await using var pool = await StartAsync();
        var calls = pool.DoTogether("hold a", "scribble withdrawn", "behind");
        Assert.Equal("hold a", await calls[0]);
        await Assert.ThrowsAsync<WorkerLostException>(() => calls[1]);
        Assert.Equal("behind", await calls[2]);
        Assert.Equal("later", await pool.DoAsync("later"));
    }

    [Fact]
    public async Task Totals_that_make_no_sense_are_ignored()
    {
        await using var pool = await StartAsync();
        await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("scribble totals"));
        Assert.Equal("later", await pool.DoAsync("later"));
    }

    [Fact]
    public async Task A_prefetched_call_does_not_wait_behind_one_that_runs_long()
    {
        // How long the second worker takes to start is for the machine to say: the slow call ends after the others, not after a time.
        await using var pool = await StartAsync(workers: 2);
        using var hold = new HoldFile();
        var slow = pool.DoAsync($"await {hold.Path}");
        var ahead = Enumerable.Range(0, 5).Select(i => pool.DoAsync($"quick {i}")).ToArray();
        Assert.Equal(Enumerable.Range(0, 5).Select(static i => $"quick {i}"), await Task.WhenAll(ahead));
        Assert.False(slow.IsCompleted, "The slow call did not wait for its file.");
        hold.Release();
        Assert.Equal("awaited", await slow);
    }

    [Fact]
    public async Task What_was_finished_before_a_call_that_runs_long_is_asked_for()
    {
        await using var pool = await StartAsync();
        using var hold = new HoldFile();
        var held = pool.DoAsync("hold a");
        var slow = pool.DoAsync($"await {hold.Path}");
        Assert.Equal("hold a", await held);
        Assert.False(slow.IsCompleted, "The slow call did not wait for its file.");
        hold.Release();
        Assert.Equal("awaited", await slow);
    }

    [Fact]
    public async Task A_worker_that_runs_a_withdrawn_call_is_ended_and_the_call_has_one_outcome()
    {
        // On a busy machine the warm calls may have taken so long that the pool prefetches none.
        var isPrefetched = false;
        for (var tries = 0; !isPrefetched && tries < MostTries; tries++)
        {
            await using var pool = await StartAsync(workers: 2);
            using var hold = new HoldFile();
            var slow = pool.DoAsync($"await {hold.Path}");
            var kept = pool.DoAsync("keep it");
            isPrefetched = pool.Pool.Snapshot().Queued == 0;

            // It is withdrawn and runs in the second worker; the first one still has it.
            Assert.Equal("keep it", await kept);
            hold.Release();
            Assert.Equal("awaited", await slow);
            Assert.True(!isPrefetched || await pool.SettlesAsync(_ => pool.Log.Records.Any(static record => record.Text.Contains("protocol", StringComparison.Ordinal))));
            Assert.Equal("later", await pool.DoAsync("later"));
        }

        Assert.True(isPrefetched);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(-2_105_344)]
    [InlineData(1)]
    [InlineData(1 << 30)]
    public async Task A_worker_cannot_give_the_page_another_length_under_its_host(int by)
    {
        // The host would end with SIGBUS where a region was cut off.
        await using var pool = await StartAsync();
        Assert.Equal("errno 1", await pool.DoAsync($"resize {by}"));
        Assert.Equal("later", await pool.DoAsync("later"));
    }

    // Warm, so that the pool knows how short its calls are and prefetches.
    private static async Task<ScriptedPool> StartAsync(int workers = 1)
    {
        var pool = ScriptedPool.Start(
            options =>
            {
                options.MinWorkers = 1;
                options.MaxWorkers = workers;
            },
            "region");
        for (var i = 0; i < 300; i++)
        {
            Assert.Equal("warm", await pool.DoAsync("warm"));
        }

        return pool;
    }
}
