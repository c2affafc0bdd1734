using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>Whatever user code prints is captured and never reaches the protocol.</summary>
public sealed class OutputTests
{
    private const double Soon = 60;

    [Fact]
    public async Task What_a_call_prints_is_logged_and_its_result_unharmed()
    {
        using var log = new RecordedLog();
        await using var pool = FreshPool.Start("misbehaviour", static options => options.MaxWorkers = 1, log);
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();

        Assert.Equal(50, await misbehaviour.Print("a line of the user's", 50, TestContext.Current.CancellationToken).AsTask().WithinAsync(Soon));

        Assert.True(await ProcFiles.EventuallyAsync(
            () => log.Records.Count(static record => record.Text.Contains("a line of the user's", StringComparison.Ordinal)) == 100, TimeSpan.FromSeconds(Soon)));
        Assert.All(
            log.Records.Where(static record => record.Text.Contains("a line of the user's", StringComparison.Ordinal)),
            static record => Assert.StartsWith("Weir.Workers.misbehaviour", record.Category, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_hundred_megabytes_on_stderr_neither_block_the_call_nor_fill_the_host()
    {
        await using var pool = FreshPool.Start("misbehaviour", static options => options.MinWorkers = options.MaxWorkers = 2);
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        GC.Collect();
        var before = Environment.WorkingSet;

        var flood = misbehaviour.Flood(100, TestContext.Current.CancellationToken).AsTask();
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(1, await misbehaviour.Sleep(1, TestContext.Current.CancellationToken).AsTask().WithinAsync(Soon));
        }

        Assert.Equal(100, await flood.WithinAsync(Soon));
        Assert.InRange(Environment.WorkingSet - before, long.MinValue, 64L << 20);
    }
}
