using Weir.AspNetCore.Streaming;

namespace Weir.Tests.AspNetCore;

public sealed class ResponseWriteLockTests
{
    [Fact]
    public void A_timer_gets_the_lock_only_while_the_producer_has_released_it()
    {
        var turn = new ResponseWriteLock();
        Assert.False(turn.TryTake());
        turn.Release();
        Assert.True(turn.TryTake());
        Assert.False(turn.TryTake());
        Assert.False(turn.TryAcquire());
        turn.Return();
        Assert.True(turn.TryAcquire());
        Assert.False(turn.TryTake());
    }

    [Fact]
    public async Task A_waiting_producer_gets_the_lock_directly_from_the_timer()
    {
        var turn = new ResponseWriteLock();
        for (var round = 0; round < 3; round++)
        {
            turn.Release();
            Assert.True(turn.TryTake());
            var waiting = turn.AcquireAsync();
            Assert.False(waiting.IsCompleted);
            turn.Return();
            Assert.False(turn.TryTake());
            await waiting;
        }
    }

    [Fact]
    public async Task The_lock_has_one_owner_at_a_time()
    {
        const int Rounds = 20_000;
        var turn = new ResponseWriteLock();
        var holders = 0;
        var taken = 0;
        var ended = false;
        var timer = Task.Run(
            () =>
            {
                while (!Volatile.Read(ref ended))
                {
                    if (turn.TryTake())
                    {
                        taken++;
                        Assert.Equal(1, Interlocked.Increment(ref holders));
                        Interlocked.Decrement(ref holders);
                        turn.Return();
                    }
                }
            },
            TestContext.Current.CancellationToken);
        for (var round = 0; round < Rounds || Volatile.Read(ref taken) < 10; round++)
        {
            turn.Release();
            await turn.AcquireAsync();
            Assert.Equal(1, Interlocked.Increment(ref holders));
            Interlocked.Decrement(ref holders);
            if (timer.IsCompleted)
            {
                break;
            }
        }

        Volatile.Write(ref ended, true);
        await timer;
    }
}
