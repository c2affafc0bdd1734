using Weir.Execution;
using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>Answers that are read by whoever waits for them, and what happens when that thread turns to something else.</summary>
[Collection(nameof(Alone))]
public sealed class ReadAheadTests
{
    private const int Warm = 50;

    [Fact]
    public async Task A_thread_that_blocks_for_the_next_answer_although_it_promised_to_poll_gets_it()
    {
        await using var pool = One();
        var client = pool.GetProxy<IComplianceInlineClient>();
        await Task.Run(
            async () =>
            {
                for (var i = 0; i < Warm; i++)
                {
                    Assert.Equal(i + 1, await client.Add(i, 1));
                }

                // The thread that goes on here is the one that polled.
                for (var i = 0; i < Warm; i++)
                {
                    Assert.Equal(i + 2, client.Add(i, 2).AsTask().WaitAsync(TimeSpan.FromSeconds(30)).GetAwaiter().GetResult());
                }

                Assert.Equal(4, await client.Add(2, 2));
            },
            TestContext.Current.CancellationToken).WithinAsync(60);
    }

    [Fact]
    public async Task Callers_of_every_kind_get_their_own_answers_from_one_worker()
    {
        await using var pool = One();
        var client = pool.GetProxy<IComplianceInlineClient>();
        using var enough = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        var rounds = new int[4];
        Task[] callers =
        [
            Task.Run(() => AwaitAsync(0), CancellationToken.None),
            Task.Run(() => AwaitAsync(1), CancellationToken.None),
            OnThreadOfItsOwn(2),
            OnThreadOfItsOwn(3),
        ];
        await Task.WhenAll(callers).WithinAsync(60);
        Assert.DoesNotContain(0, rounds);

        async Task AwaitAsync(int caller)
        {
            for (var i = 0; !enough.IsCancellationRequested; i++, rounds[caller]++)
            {
                Assert.Equal(i + caller, await client.Add(i, caller));

                // Now and then there is a pause in which the others are alone.
                if (i % 512 == 0)
                {
                    await Task.Delay(5, CancellationToken.None);
                }
            }
        }

        Task OnThreadOfItsOwn(int caller) => Task.Factory.StartNew(
            () =>
            {
                var own = OwnThread.Client(client);
                for (var i = 0; !enough.IsCancellationRequested; i++, rounds[caller]++)
                {
                    Assert.Equal(i + caller, own.Add(i, caller).AsTask().Result);
                    if (i % 512 == 0)
                    {
                        Thread.Sleep(5);
                    }
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    [Fact]
    public async Task A_pool_drains_right_after_its_last_answer_was_read_by_the_caller()
    {
        for (var round = 0; round < 3; round++)
        {
            var pool = One();
            await Task.Factory.StartNew(
                () =>
                {
                    var own = OwnThread.Client(pool.GetProxy<IComplianceInlineClient>());
                    for (var i = 0; i < Warm; i++)
                    {
                        Assert.Equal(i, own.Add(i, 0).AsTask().Result);
                    }
                },
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
            await pool.DrainAsync(TestContext.Current.CancellationToken).WithinAsync(20);
            Assert.Empty(pool.Snapshot().Workers);
        }
    }

    private static WorkerPool One() => FreshPool.Start("compliance", static options => options.MinWorkers = options.MaxWorkers = 1);
}
