using System.Diagnostics;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>What must happen although the application blocks every thread of the thread pool.</summary>
[Collection(nameof(Alone))]
public class StarvationTests
{
    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(200);

    [Fact]
    public async Task A_worker_that_ignores_its_cancel_is_killed_although_the_thread_pool_is_blocked()
    {
        await using var pool = ScriptedPool.Start(options => (options.MaxWorkers, options.CancelGrace) = (1, Grace));
        var pid = int.Parse(await pool.DoAsync("pid"));
        using var leaving = new CancellationTokenSource();
        var running = pool.DoAsync("forever", ScriptedPool.Until(leaving.Token));
        Assert.True(await pool.SettlesAsync(static now => now.Workers[0].State == "busy"));

        // Far more than the thread pool makes threads for within the time, and before all work that is queued later.
        var isKilled = false;
        using var release = new ManualResetEventSlim();
        var blocked = Enumerable.Range(0, 2000).Select(_ => Task.Factory.StartNew(release.Wait, CancellationToken.None, TaskCreationOptions.PreferFairness, TaskScheduler.Default)).ToArray();
        var watching = new Thread(() =>
        {
            leaving.Cancel();
            var since = Stopwatch.GetTimestamp();
            while (!isKilled && Stopwatch.GetElapsedTime(since) < TimeSpan.FromSeconds(10))
            {
                Thread.Sleep(10);
                isKilled = !ProcFiles.IsRunning(pid);
            }

            release.Set();
        });
        watching.Start();
        await Task.WhenAll(blocked);
        watching.Join();
        Assert.True(isKilled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
    }
}
