using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.IntegrationTests.Watching;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>All output of user code is captured and never reaches the protocol.</summary>
public sealed class OutputTests
{
    private const double Soon = 60;
    private const int Megabytes = 192;

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
    public async Task Hundreds_of_megabytes_of_output_slow_no_other_call_and_fill_nothing_and_leave_the_last_64_KB()
    {
        var cancellationToken = TestContext.Current.CancellationToken;
        var launcher = new WatchedLauncher();
        await using var pool = FreshPool.Start("misbehaviour", options =>
        {
            options.MinWorkers = options.MaxWorkers = 2;
            options.Launcher = launcher;
        });
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();

        // 1. What a neighbour's call takes in peace.
        await misbehaviour.Identify(cancellationToken).AsTask().WithinAsync(Soon);
        var inPeace = await MedianAsync(100);
        FillFirstGeneration();
        var before = Environment.WorkingSet;

        // 2. The same while the other worker floods both its outputs.
        var start = TimeProvider.System.GetTimestamp();
        var flood = misbehaviour.FloodBoth(Megabytes, cancellationToken).AsTask();
        var inFlood = await MedianAsync(500);
        var flooder = await flood.WithinAsync(120);
        // A half of the flood: the heap of a process that has run other tests grows by itself.
        Assert.InRange(Environment.WorkingSet - before, long.MinValue, (Megabytes / 2L) << 20);
        Assert.InRange(inFlood, TimeSpan.Zero, (4 * inPeace) + TimeSpan.FromMilliseconds(5));

        // 3. The flooder waited for the host, not the host for it, and what it printed last is there.
        Assert.InRange(TimeProvider.System.GetElapsedTime(start), TimeSpan.FromSeconds(Megabytes / 80.0), TimeSpan.FromSeconds(120));
        var tail = launcher.Workers.Single(worker => worker.ProcessId == flooder).ReadOutputTail();
        Assert.InRange(tail.Length, 63 << 10, 64 << 10);
        Assert.True(await ProcFiles.EventuallyAsync(
            () => launcher.Workers.Single(worker => worker.ProcessId == flooder).ReadOutputTail().Contains("the last of the flood\n", StringComparison.Ordinal), TimeSpan.FromSeconds(Soon)));

        async Task<TimeSpan> MedianAsync(int calls)
        {
            var times = new TimeSpan[calls];
            for (var i = 0; i < calls; i++)
            {
                var began = TimeProvider.System.GetTimestamp();
                Assert.Equal(0, await misbehaviour.Sleep(0, cancellationToken).AsTask().WithinAsync(Soon));
                times[i] = TimeProvider.System.GetElapsedTime(began);
            }

            Array.Sort(times);
            return times[calls / 2];
        }
    }

    // Its budget follows the processor's cache, hundreds of megabytes on some: what it grows by once is not output.
    private static void FillFirstGeneration()
    {
        GC.Collect();
        for (var collections = GC.CollectionCount(0); GC.CollectionCount(0) == collections;)
        {
            GC.KeepAlive(new byte[64 << 10]);
        }
    }
}
