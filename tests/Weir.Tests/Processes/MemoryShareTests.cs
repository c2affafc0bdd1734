using Weir.Execution.Pools.Capacity;
using Weir.Execution.Processes.Linux.Launch;

namespace Weir.Tests.Processes;

public sealed class MemoryShareTests
{
    private const long Megabyte = 1L << 20;

    [Theory]
    [InlineData(300, 2, 96, 166)]
    [InlineData(512, 2, 128, 256)]
    [InlineData(1024, 4, 256, 256)]
    [InlineData(4096, 8, 1024, 448)]
    [InlineData(65536, 8, 16384, 6208)]
    public void Each_worker_gets_its_part_of_what_the_host_does_not_need(long bound, int workers, long reserve, long limit)
    {
        var share = MemoryShare.Of(bound * Megabyte, workers)!;
        Assert.Equal((reserve, limit, true), (share.ReserveBytes / Megabyte, share.LimitBytes / Megabyte, share.IsEnough));
    }

    [Theory]
    [InlineData(300, 8, 3)]
    [InlineData(100, 1, 1)]
    public void A_limit_is_never_too_small_for_a_runtime_and_the_workers_that_fit_are_counted(long bound, int workers, long fitting)
    {
        var share = MemoryShare.Of(bound * Megabyte, workers)!;
        Assert.Equal(128, share.LimitBytes / Megabyte);
        Assert.Equal(fitting, share.BearableWorkers);
        Assert.Equal(workers <= fitting, share.IsEnough || workers == 1);
    }

    [Fact]
    public void Where_memory_is_not_bounded_nothing_is_derived() => Assert.Null(MemoryShare.Of(null, 4));

    [Fact]
    public void A_limit_that_was_set_is_compared_with_what_is_left_for_workers()
    {
        var share = MemoryShare.Of(300 * Megabyte, 2)!;
        Assert.False(share.IsExceededBy(256 * Megabyte));
        Assert.True(share.IsExceededBy(280 * Megabyte));
    }

    [Fact]
    public void Not_set_is_another_thing_than_null()
    {
        var defaults = new WeirOptions();
        var pool = defaults.Pool("a");
        Assert.False(pool.IsMemoryLimitSet);
        pool.DerivedMemoryLimitBytes = 200;
        Assert.Equal(200, pool.MemoryLimitBytes);
        Assert.Equal(200, pool.Copy().MemoryLimitBytes);

        pool.MemoryLimitBytes = null;
        Assert.True(pool.IsMemoryLimitSet);
        Assert.Null(pool.Copy().MemoryLimitBytes);

        defaults.PoolDefaults.MemoryLimitBytes = null;
        Assert.True(defaults.Pool("b").IsMemoryLimitSet);
        Assert.True(defaults.Pool("b").Copy().IsMemoryLimitSet);
    }

    [Fact]
    public void A_soft_limit_above_a_derived_limit_is_no_contradiction()
    {
        var pool = new PoolOptions { MemorySoftLimitBytes = 200 * Megabyte, DerivedMemoryLimitBytes = 160 * Megabyte };
        pool.Validate("a");
        pool.MemoryLimitBytes = 160 * Megabyte;
        Assert.Throws<InvalidOperationException>(() => pool.Validate("a"));
    }

    [Fact]
    public void Each_kill_of_the_kernel_explains_one_worker()
    {
        var count = 3L;
        var kills = new OomKills(() => count);
        Assert.False(kills.Explain([]));
        count = 5;
        Assert.True(kills.Explain([]));
        Assert.True(kills.Explain([]));
        Assert.False(kills.Explain([]));
    }
}
