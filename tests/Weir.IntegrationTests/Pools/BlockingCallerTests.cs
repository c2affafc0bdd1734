using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>Callers that await and callers that block their threads, on one worker.</summary>
[Collection(nameof(Alone))]
public sealed class BlockingCallerTests
{
    private const int Warm = 50;

    [Fact]
    public async Task A_caller_that_blocks_the_thread_on_which_its_last_answer_came_gets_the_next_answer()
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

        // One after the other is done, so that they overlap, and in the end one is alone.
        await Task.WhenAll(Awaiting(4000), WaitingItself(2000), Awaiting(6000), WaitingItself(8000)).WithinAsync(60);

        Task Awaiting(int calls) => Task.Run(async () =>
        {
            for (var i = 0; i < calls; i++)
            {
                Assert.Equal(i + calls, await client.Add(i, calls));
            }
        });

        Task WaitingItself(int calls) => Task.Factory.StartNew(
            () =>
            {
                var own = client;
                for (var i = 0; i < calls; i++)
                {
                    Assert.Equal(i + calls, own.Add(i, calls).AsTask().GetAwaiter().GetResult());
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    [Fact]
    public async Task A_pool_drains_right_after_a_caller_that_blocked_its_thread_has_its_last_answer()
    {
        for (var round = 0; round < 3; round++)
        {
            var pool = One();
            await Task.Factory.StartNew(
                () =>
                {
                    var own = pool.GetProxy<IComplianceInlineClient>();
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
