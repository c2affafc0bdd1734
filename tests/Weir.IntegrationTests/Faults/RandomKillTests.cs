using System.Diagnostics;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>Workers killed at random under load. The oracle is a file that the calls themselves append to.</summary>
[Collection(nameof(Alone))]
public sealed class RandomKillTests
{
    [Fact]
    public Task A_hundred_random_kills_lose_nothing_and_run_nothing_twice() => KillUnderLoadAsync(100, 16, LazyAsync);

    [Fact]
    public Task So_do_kills_among_prefetched_calls_and_results_that_are_sent_together() => KillUnderLoadAsync(50, 96, QuickAsync);

    [Fact]
    public Task So_do_kills_of_workers_that_have_one_call_at_a_time() => KillUnderLoadAsync(60, 1, QuickAsync);

    [Fact]
    public Task So_do_kills_of_workers_whose_callers_block_their_threads() => KillUnderLoadAsync(25, 2, BlockingAsync);

    [Fact, Trait("Kind", "Long")]
    public Task Six_thousand_random_kills_lose_nothing_and_run_nothing_twice() => KillUnderLoadAsync(6_000, 16, LazyAsync);

    [Fact, Trait("Kind", "Long")]
    public Task So_do_two_thousand_among_prefetched_calls() => KillUnderLoadAsync(2_000, 96, QuickAsync);

    private static async Task LazyAsync(IMisbehaviourClient misbehaviour, string oracle, int id, Random random) =>
        Assert.Equal(id, await misbehaviour.Append(oracle, id, random.Next(4)).AsTask().WithinAsync(60));

    // Microseconds each; some results fill the region, some do not fit into it.
    private static async Task QuickAsync(IMisbehaviourClient misbehaviour, string oracle, int id, Random random)
    {
        var bytes = random.Next(100) switch { < 90 => random.Next(100), < 98 => random.Next(30_000), _ => 60_000 + random.Next(100_000) };
        var result = await misbehaviour.AppendBytes(oracle, id, bytes).AsTask().WithinAsync(60);
        Assert.Equal(bytes, result.Length);
        Assert.DoesNotContain(result, value => value != (byte)id);
    }

    private static Task BlockingAsync(IMisbehaviourClient misbehaviour, string oracle, int id, Random random) => Task.Factory.StartNew(
        () => Assert.Equal(id, misbehaviour.Append(oracle, id, random.Next(3)).AsTask().GetAwaiter().GetResult()),
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);

    private static async Task KillUnderLoadAsync(int kills, int inFlight, Func<IMisbehaviourClient, string, int, Random, Task> callAsync)
    {
        var cancellationToken = TestContext.Current.CancellationToken;
        var oracle = Path.GetTempFileName();
        var pool = FreshPool.Start("misbehaviour", static options => options.MinWorkers = options.MaxWorkers = 3);
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var done = new List<int>();
        var lost = new List<int>();
        var nextId = 0;
        using var enough = new CancellationTokenSource();

        // 1. Callers, each with one call in flight, until there were enough kills.
        var callers = Enumerable.Range(0, inFlight).Select(async caller =>
        {
            var random = new Random(caller);
            while (!enough.IsCancellationRequested)
            {
                var id = Interlocked.Increment(ref nextId);
                try
                {
                    await callAsync(misbehaviour, oracle, id, random);
                    lock (done)
                    {
                        done.Add(id);
                    }
                }
                catch (WorkerLostException)
                {
                    lock (done)
                    {
                        lost.Add(id);
                    }
                }
            }
        }).ToArray();

        // 2. Any worker is killed that has answered a call, at any moment; a caller that ended has failed.
        var killed = await KillAsync(pool, kills, Counts, Task.WhenAny(callers), cancellationToken);
        await enough.CancelAsync();
        await Task.WhenAll(callers).WaitAsync(TimeSpan.FromSeconds(60), cancellationToken);
        await pool.DisposeAsync();

        // 3. What the file says, against the outcomes of the callers.
        var ran = (await File.ReadAllLinesAsync(oracle, cancellationToken)).Select(int.Parse).ToArray();
        File.Delete(oracle);
        Assert.Equal(ran.Length, ran.Distinct().Count());
        Assert.Equal(nextId, done.Count + lost.Count);
        Assert.Empty(done.Except(ran));
        Assert.InRange(lost.Count, 1, killed);
        Assert.True(done.Count > killed, $"Only {done.Count} calls were done beside {killed} kills.");

        (int Done, int Lost) Counts()
        {
            lock (done)
            {
                return (done.Count, lost.Count);
            }
        }
    }

    // On a busy machine workers take long to start and a kill may meet no call: no kill before another call is done, and more kills
    // than asked for until one has met a call.
    private static async Task<int> KillAsync(WorkerPool pool, int kills, Func<(int Done, int Lost)> counts, Task failed, CancellationToken cancellationToken)
    {
        var random = new Random(2026);
        var kill = 0;
        while ((kill < kills || (counts().Lost == 0 && kill < 10 * kills)) && !failed.IsCompleted)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(random.Next(30)), TimeProvider.System, cancellationToken);
            var workers = pool.Snapshot().Workers.Where(static worker => worker is { CallsDone: > 0, ProcessId: > 0 }).ToArray();
            if (workers.Length == 0 || counts().Done <= kill + 1)
            {
                continue;
            }

            try
            {
                using var process = Process.GetProcessById(workers[random.Next(workers.Length)].ProcessId);
                process.Kill();
                kill++;
            }
            catch (ArgumentException)
            {
                // It is gone already: another one.
            }
            catch (InvalidOperationException)
            {
            }
        }

        return kill;
    }
}
