using System.Threading.Channels;
using Weir.IntegrationTests.Processes;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>What a worker reports of the progress of a job, and what it may do wrong with it.</summary>
public sealed class PoolProgressTests
{
    // What the scripted worker reports after anything else.
    private static readonly JobProgress After = new(0.75, null);

    [Fact]
    public async Task Progress_reaches_the_job_of_its_call()
    {
        await using var pool = ScriptedPool.Start(start: "reports");
        Assert.Equal([new JobProgress(0.5, "xxxx"), After], await ReportAsync(pool, "good"));
    }

    [Fact]
    public async Task Of_text_that_fits_the_frame_200_characters_are_kept()
    {
        await using var pool = ScriptedPool.Start(start: "reports");
        Assert.Equal([new JobProgress(0.5, new string('x', 200)), After], await ReportAsync(pool, "full"));
    }

    [Theory]
    [InlineData("unknown")]
    [InlineData("ended")]
    public async Task Progress_of_a_call_that_has_ended_or_never_was_is_dropped(string how)
    {
        await using var pool = ScriptedPool.Start(static options => options.MaxWorkers = 1, "reports");
        var late = new List<JobProgress>();
        Assert.Equal("first", await pool.DoAsync("first", new CallRequest { Job = new JobContext(Guid.NewGuid(), 1, 1, late.Add) }));
        Assert.Equal([After], await ReportAsync(pool, how));
        Assert.Empty(late);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task Progress_of_a_call_that_is_no_job_is_dropped()
    {
        await using var pool = ScriptedPool.Start(static options => options.MaxWorkers = 1, "reports");
        Assert.Equal("reported", await pool.DoAsync("progress direct"));
        Assert.Equal([new JobProgress(0.5, "xxxx"), After], await ReportAsync(pool, "good"));
    }

    [Fact]
    public async Task What_fails_while_it_takes_progress_is_logged_and_ends_nothing()
    {
        await using var pool = ScriptedPool.Start(start: "reports");
        using var cancel = new CancellationTokenSource();
        var call = pool.DoAsync("progress good", new CallRequest
        {
            CancellationToken = cancel.Token,
            EndsWithItsCode = true,
            Job = new JobContext(Guid.NewGuid(), 1, 1, static _ => throw new InvalidOperationException("no screen")),
        });
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Log.Records.Any(static record => record.Text.Contains("reporting progress", StringComparison.Ordinal)), TimeSpan.FromSeconds(60)));
        await cancel.CancelAsync();
        Assert.Equal("reported", await call);
    }

    [Theory]
    [InlineData("nan", "MalformedPayload")]
    [InlineData("negative", "MalformedPayload")]
    [InlineData("above", "MalformedPayload")]
    [InlineData("infinite", "MalformedPayload")]
    [InlineData("cut", "MalformedPayload")]
    [InlineData("long", "PayloadTooLong")]
    public async Task Malformed_progress_ends_its_worker(string how, string fault)
    {
        await using var pool = ScriptedPool.Start(start: "reports");
        var reported = new List<JobProgress>();
        var failure = await Assert.ThrowsAsync<ProtocolViolationException>(() => pool.DoAsync($"progress {how}", new CallRequest { Job = new JobContext(Guid.NewGuid(), 1, 1, reported.Add) }));
        Assert.Contains(fault, failure.Message, StringComparison.Ordinal);
        Assert.Empty(reported);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task Progress_that_was_not_agreed_on_ends_its_worker()
    {
        await using var pool = ScriptedPool.Start(start: "region");
        var failure = await Assert.ThrowsAsync<ProtocolViolationException>(() => pool.DoAsync("progress good"));
        Assert.Contains("UnexpectedFrame", failure.Message, StringComparison.Ordinal);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    // Everything that the job gets until its worker says that nothing more comes.
    private static async Task<List<JobProgress>> ReportAsync(ScriptedPool pool, string how)
    {
        var reported = Channel.CreateUnbounded<JobProgress>();
        using var cancel = new CancellationTokenSource();
        var call = pool.DoAsync($"progress {how}", new CallRequest
        {
            CancellationToken = cancel.Token,
            EndsWithItsCode = true,
            Job = new JobContext(Guid.NewGuid(), 1, 1, progress => reported.Writer.TryWrite(progress)),
        });
        var all = new List<JobProgress>();
        do
        {
            all.Add(await reported.Reader.ReadAsync().AsTask().WithinAsync(60));
        }
        while (all[^1] != After);

        await cancel.CancelAsync();
        Assert.Equal("reported", await call);
        return all;
    }
}
