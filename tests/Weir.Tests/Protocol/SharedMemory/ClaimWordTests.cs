using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Protocol;

/// <summary>The only word that both sides write: in every order of their steps each call belongs to exactly one of them.</summary>
public sealed class ClaimWordTests
{
    // The ids before the first call: none, and two calls before the low half of an id is 0.
    private const ulong None = 0;
    private const ulong BeforeWrap = 0xFFFF_FFFD;

    [Theory]
    [InlineData(None)]
    [InlineData(BeforeWrap)]
    public void In_every_order_a_call_is_run_by_the_worker_or_withdrawn_by_the_host_and_never_both(ulong before)
    {
        var recalls = new HashSet<int>();
        var orders = Interleavings.Explore((workerStep, hostStep) =>
        {
            var world = new World(before, workerStep, hostStep);
            return (
                () => world.Work(4),
                () => world.Withdraw(),
                () =>
                {
                    recalls.Add(world.Withdrawn.Count);
                    world.Finish();
                    world.CheckOnce(4);
                    world.Dispose();
                }
            );
        });
        Assert.True(orders > 100, $"Only {orders} orders were tried.");
        Assert.Contains(0, recalls);
        Assert.True(recalls.Max() >= 3, "The host never came first.");
    }

    [Theory]
    [InlineData(None)]
    [InlineData(BeforeWrap)]
    public void In_every_order_calls_sent_after_a_withdrawal_run_and_a_second_withdrawal_waits_for_the_first(ulong before)
    {
        Interleavings.Explore((workerStep, hostStep) =>
        {
            var world = new World(before, workerStep, hostStep) { Sent = before + 2 };
            return (
                () => world.Work(3),
                () =>
                {
                    world.Withdraw();
                    world.Sent++;
                    world.Withdraw();
                },
                () =>
                {
                    world.Finish();
                    world.CheckOnce(3);
                    world.Dispose();
                }
            );
        });
    }

    [Theory]
    [InlineData(None)]
    [InlineData(BeforeWrap)]
    public void In_every_order_of_a_withdrawal_and_a_worker_failure_the_host_knows_exactly_which_calls_had_started(ulong before)
    {
        for (var lastStep = 1; lastStep <= 6; lastStep++)
        {
            var steps = lastStep;
            Interleavings.Explore((workerStep, hostStep) =>
            {
                var left = steps;
                void Die()
                {
                    workerStep();
                    if (left-- == 0)
                    {
                        throw new DeathException();
                    }
                }

                var world = new World(before, Die, hostStep) { Sent = before + 3 };
                return (
                    () => world.Work(3),
                    () => world.Withdraw(),
                    () =>
                    {
                        var started = world.SharedMemory.Host.StartedThrough(before, world.Sent);
                        Assert.DoesNotContain(world.Ran, id => id > started);
                        Assert.Empty(world.Ran.Intersect(world.Withdrawn));

                        // At most one call that it marked as started and did not run, because it exited before.
                        var begun = Enumerable.Range(1, (int)(started - before)).Select(i => before + (ulong)i).Except(world.Withdrawn).Except(world.Ran);
                        Assert.True(begun.Count() <= 1);
                        world.Dispose();
                    }
                );
            });
        }
    }

    [Fact]
    public void A_withdrawal_takes_all_calls_that_were_not_started_and_closes_when_the_worker_has_passed_it()
    {
        using var region = new AllocatedRegion();
        var worker = new WorkerSharedMemory<SharedMemoryAccess>(region.Address);
        Assert.True(worker.TryStart(1));
        Assert.True(region.Host.TryWithdraw(0, 3, out var first));
        Assert.Equal(2ul, first);
        Assert.False(region.Host.TryWithdraw(0, 4, out _));

        Assert.False(worker.TryStart(2));
        Assert.False(region.Host.TryWithdraw(0, 4, out _));
        Assert.False(worker.TryStart(3));
        Assert.True(worker.TryStart(4));
        Assert.Equal(4ul, region.Host.StartedThrough(0, 4));
        Assert.False(region.Host.TryWithdraw(0, 4, out _));
    }

    [Fact]
    public void A_withdrawal_leaves_the_call_whose_low_half_would_read_as_none()
    {
        using var region = new AllocatedRegion();
        const ulong last = 0x1_0000_0001;
        region.Field(SharedMemoryLayout.Claim) = uint.MaxValue;
        Assert.True(region.Host.TryWithdraw(uint.MaxValue, last, out var first));
        Assert.Equal(last, first);
        var worker = new WorkerSharedMemory<SharedMemoryAccess>(region.Address);
        Assert.True(worker.TryStart(last - 1));
        Assert.False(worker.TryStart(last));
        Assert.True(worker.TryStart(last + 1));
    }

    [Theory]
    [InlineData(5, 9, 4)]
    [InlineData(5, 9, 10)]
    [InlineData(5, 9, 0)]
    [InlineData(0x1_0000_0000, 0x1_0000_0002, 3)]
    [InlineData(0x1_0000_0000, 0x1_0000_0002, uint.MaxValue)]
    public void An_invalid_word_means_that_every_call_may_have_run_and_none_is_withdrawn(ulong atLeast, ulong lastSent, uint started)
    {
        using var region = new AllocatedRegion();
        region.Field(SharedMemoryLayout.Claim) = started;
        Assert.Equal(lastSent, region.Host.StartedThrough(atLeast, lastSent));
        Assert.False(region.Host.TryWithdraw(atLeast, lastSent, out _));
    }

    [Fact]
    public void A_word_that_changes_all_the_time_does_not_block_the_host()
    {
        using var region = new AllocatedRegion();
        var turn = 0ul;
        var host = new HostSharedMemory<SteppedAccess>(region.Address, new SteppedAccess(() => region.Field(SharedMemoryLayout.Claim) = ++turn % 7));
        Assert.False(host.TryWithdraw(0, 9, out _));
    }

    private sealed class World(ulong before, Action workerStep, Action hostStep) : IDisposable
    {
        private readonly List<ulong> _dropped = [];
        private readonly Lazy<AllocatedRegion> _region = new(() =>
        {
            var region = new AllocatedRegion();
            region.Field(SharedMemoryLayout.Claim) = (uint)before;
            return region;
        });

        private ulong _next = before + 1;

        public AllocatedRegion SharedMemory => _region.Value;

        public ulong Sent { get; set; } = before + 4;

        public List<ulong> Ran { get; } = [];

        public List<ulong> Withdrawn { get; } = [];

        /// <summary>Runs the worker up to the last call that was sent.</summary>
        public void Work(int count)
        {
            var worker = new WorkerSharedMemory<SteppedAccess>(SharedMemory.Address, new SteppedAccess(workerStep));
            for (; _next <= before + (ulong)count && _next <= Sent; _next++)
            {
                (worker.TryStart(_next) ? Ran : _dropped).Add(_next);
            }
        }

        public void Withdraw()
        {
            var host = new HostSharedMemory<SteppedAccess>(SharedMemory.Address, new SteppedAccess(hostStep));
            if (host.TryWithdraw(before, Sent, out var first))
            {
                for (var id = first; id <= Sent; id++)
                {
                    Withdrawn.Add(id);
                }
            }
        }

        /// <summary>Runs the worker alone, up to the last call.</summary>
        public void Finish()
        {
            var worker = new WorkerSharedMemory<SharedMemoryAccess>(SharedMemory.Address);
            for (; _next <= Sent; _next++)
            {
                (worker.TryStart(_next) ? Ran : _dropped).Add(_next);
            }
        }

        public void CheckOnce(int count)
        {
            Assert.Equal(Withdrawn.Order(), _dropped.Order());
            Assert.Equal(Enumerable.Range(1, count).Select(i => before + (ulong)i), Ran.Concat(Withdrawn).Order());
        }

        public void Dispose()
        {
            if (_region.IsValueCreated)
            {
                _region.Value.Dispose();
            }
        }
    }
}
