using System.Collections.Concurrent;
using System.Diagnostics;
using Weir.Execution;
using Weir.Execution.Processes;
using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>Many short calls in flight, whose callers go on together on one thread, and what they may do there.</summary>
[Collection(nameof(Alone))]
public sealed class BurstTests
{
    private const int Callers = 128;

    // A worker that has just started is not quick yet.
    private readonly Stopwatch _sinceStart = Stopwatch.StartNew();

    // How often a caller found itself in a burst.
    private int _inBurst;

    private bool IsInBurst
    {
        get
        {
            if (CallBurst.OfThisThread is null)
            {
                return false;
            }

            Interlocked.Increment(ref _inBurst);
            return true;
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Callers_that_go_on_together_get_their_own_answers(int workers)
    {
        await using var pool = Pool(workers);
        var client = pool.GetProxy<IComplianceInlineClient>();
        var flow = new AsyncLocal<int>();

        await ForAllAsync(async caller =>
        {
            flow.Value = caller;
            for (var i = 0; GoesOn(i); i++)
            {
                Assert.Equal(caller + i, await client.Add(caller, i));
                Assert.Equal(caller, flow.Value);
                _ = IsInBurst;
            }
        });

        AssertBursts();
    }

    [Fact]
    public async Task A_caller_that_blocks_the_others_for_a_call_that_is_held_gets_its_answer_and_so_do_they()
    {
        await using var pool = Pool(1);
        var client = pool.GetProxy<IComplianceInlineClient>();

        await InBurstsAsync(client, caller =>
        {
            AddBlocking(client, caller);
            return Task.CompletedTask;
        });

        AssertBursts();
    }

    [Fact]
    public async Task A_call_that_is_cancelled_while_it_is_held_is_cancelled()
    {
        await using var pool = Pool(1);
        var client = pool.GetProxy<IComplianceInlineClient>();

        await InBurstsAsync(client, async caller =>
        {
            using var leaving = new CancellationTokenSource();
            var held = client.Wait(leaving.Token).AsTask();
            await leaving.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => held);
        });

        AssertBursts();
    }

    [Fact]
    public async Task A_caller_that_blocks_a_burst_is_not_forgotten_while_another_thread_reads_its_own_answers()
    {
        await using var pool = Pool(1);
        var client = pool.GetProxy<IComplianceInlineClient>();
        using var stop = new CancellationTokenSource();
        var reading = Task.Factory.StartNew(
            () =>
            {
                var own = OwnThread.Client(client);
                while (!stop.IsCancellationRequested)
                {
                    Assert.Equal(3, own.Add(1, 2).AsTask().Result);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        var longest = TimeSpan.Zero;

        await InBurstsAsync(client, caller =>
        {
            var since = Stopwatch.GetTimestamp();
            AddBlocking(client, caller);
            longest = Stopwatch.GetElapsedTime(since) is var took && took > longest ? took : longest;
            return Task.CompletedTask;
        });

        await stop.CancelAsync();
        await reading;

        // Two naps, and what it takes to be given a processor beside so many.
        Assert.InRange(longest, TimeSpan.Zero, TimeSpan.FromSeconds(5));
    }

    [Fact]
    public async Task Calls_that_were_made_in_a_burst_before_the_pool_drains_have_their_answers()
    {
        var pool = Pool(1);
        var client = pool.GetProxy<IComplianceInlineClient>();
        Task? drained = null;
        var refused = 0;

        await ForAllAsync(async caller =>
        {
            for (var i = 0; GoesOn(i) || Volatile.Read(ref drained) is not null; i++)
            {
                try
                {
                    Assert.Equal(caller + i, await client.Add(caller, i));
                }
                catch (CallRejectedException)
                {
                    Interlocked.Increment(ref refused);
                    return;
                }

                if (IsInBurst && Volatile.Read(ref drained) is null)
                {
                    var before = client.Add(caller, 1).AsTask();
                    Volatile.Write(ref drained, pool.DrainAsync());
                    Assert.Equal(caller + 1, await before);
                }
            }
        });

        AssertBursts();
        await (drained ?? pool.DrainAsync()).WithinAsync(20);
        Assert.InRange(refused, drained is null ? 0 : 1, Callers);
    }

    [Fact]
    public async Task Calls_of_another_pool_are_made_from_a_burst_like_from_anywhere()
    {
        await using var pool = Pool(1);
        await using var other = FreshPool.Start("sizes", static options => options.MinWorkers = options.MaxWorkers = 1);
        var client = pool.GetProxy<IComplianceInlineClient>();
        var sizes = other.GetProxy<ISizes>();

        await ForAllAsync(async caller =>
        {
            for (var i = 0; GoesOn(i); i++)
            {
                Assert.Equal(caller + i, await client.Add(caller, i));
                if (IsInBurst)
                {
                    var (here, there) = (client.Add(i, 1).AsTask(), sizes.Length(new byte[caller]).AsTask());
                    Assert.Equal(caller, await there);
                    Assert.Equal(i + 1, await here);
                }
            }
        });

        AssertBursts();
    }

    [Fact]
    public async Task When_the_worker_dies_every_caller_of_a_burst_has_one_ending_and_the_next_worker_serves_them()
    {
        var crashes = new ConcurrentQueue<CrashReport>();
        await using var pool = FreshPool.Start("compliance", options => (options.MinWorkers, options.MaxWorkers, options.OnCrash) = (1, 1, crashes.Enqueue));
        var client = pool.GetProxy<IComplianceInlineClient>();
        using var stop = new CancellationTokenSource();
        var callers = ForAllAsync(async caller =>
        {
            for (var i = 0; !stop.IsCancellationRequested; i++)
            {
                try
                {
                    Assert.Equal(caller + i, await client.Add(caller, i));
                    _ = IsInBurst;
                }
                catch (WorkerLostException)
                {
                    // The call that ran; those behind it run elsewhere.
                }
            }

            Assert.Equal(caller, await client.Add(caller, 0));
        });

        for (var kills = 0; kills < 3; kills++)
        {
            var before = Volatile.Read(ref _inBurst);
            Assert.True(await ProcFiles.EventuallyAsync(() => Volatile.Read(ref _inBurst) > before + Callers, TimeSpan.FromSeconds(20)));
            var victim = pool.Snapshot().Workers.Single(static worker => worker.ProcessId != 0);
            using (var process = Process.GetProcessById(victim.ProcessId))
            {
                process.Kill();
            }
        }

        await stop.CancelAsync();
        await callers;
        Assert.Equal(3, crashes.Count);
    }

    // Callers that do this now and then, when they find themselves in a burst.
    private Task InBurstsAsync(IComplianceInlineClient client, Func<int, Task> act) => ForAllAsync(async caller =>
    {
        for (var i = 0; GoesOn(i); i++)
        {
            Assert.Equal(caller + i, await client.Add(caller, i));
            if (i % 32 == caller % 32 && IsInBurst)
            {
                await act(caller);
            }
        }
    });

    // As code does that does not know where it runs.
    private static void AddBlocking(IComplianceInlineClient client, int caller) =>
        Assert.Equal(caller, client.Add(caller, 0).AsTask().WaitAsync(TimeSpan.FromSeconds(30)).GetAwaiter().GetResult());

    private bool GoesOn(int calls) => calls < 300 || (Volatile.Read(ref _inBurst) < Callers && _sinceStart.Elapsed < TimeSpan.FromSeconds(30));

    private static WorkerPool Pool(int workers) => FreshPool.Start("compliance", options => options.MinWorkers = options.MaxWorkers = workers);

    private static Task ForAllAsync(Func<int, Task> caller) =>
        Task.WhenAll(Enumerable.Range(0, Callers).Select(number => Task.Run(() => caller(number)))).WithinAsync(100);

    // On one processor there are none.
    private void AssertBursts() => Assert.True(_inBurst > 0 || Environment.ProcessorCount == 1, "There was no burst.");
}
