using Weir.Execution.Pools.Capacity;
using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public class HostCapacityTests
{
    private readonly ManualTime _time = new();

    // Bounded by the requests of the test itself.
    private readonly Queue<Action> _queued = new();
    private HostResources _figures;
    private int _readings;
    private Exception? _unreadable;
    private Action<string>? _reading;

    [Fact]
    public void The_chosen_maximum_holds_over_all_pools()
    {
        var host = Host(5);
        var (one, other) = (new Pool(host), new Pool(host));
        Assert.Equal(3, one.Capacity.Reserve(3));
        Assert.Equal(2, other.Capacity.Reserve(3));
        Assert.Equal(0, one.Capacity.Reserve(1));
        Assert.Equal(5, host.Reserved);
    }

    [Fact]
    public void A_pool_that_was_refused_retries_when_capacity_is_released()
    {
        var host = Host(2);
        var (one, other) = (new Pool(host), new Pool(host));
        one.Capacity.Reserve(2);
        Assert.Equal(0, other.Capacity.Reserve(1));
        Run();
        Assert.Equal(0, other.Retries);
        Assert.Equal((1, "MaxWorkers of all pools is 2, and that many workers run"), other.Shortages.Single());

        one.Capacity.Release(1);
        Run();
        Assert.Equal(1, other.Retries);
        Assert.Equal(1, other.Capacity.Reserve(1));
    }

    [Fact]
    public void A_pool_that_was_refused_retries_once()
    {
        var host = Host(1);
        var (one, other) = (new Pool(host), new Pool(host));
        one.Capacity.Reserve(1);
        other.Capacity.Reserve(1);
        Run();
        one.Capacity.Release(1);
        Run();
        Assert.Equal(1, other.Retries);
        other.Capacity.Release(0);
        Run();
        Assert.Equal(1, other.Retries);
    }

    [Fact]
    public void Idle_workers_of_other_pools_retire()
    {
        var host = Host(3);
        var (one, other, asking) = (new Pool(host) { Idle = 1 }, new Pool(host) { Idle = 5 }, new Pool(host) { NeedsWorkers = true });
        one.Capacity.Reserve(1);
        other.Capacity.Reserve(2);
        Assert.Equal(0, asking.Capacity.Reserve(2));
        Run();
        Assert.Equal((0, 4, 0), (one.Idle, other.Idle, asking.Idle));
    }

    [Fact]
    public void A_standby_is_not_taken_from_other_pools()
    {
        var host = Host(1);
        var (one, asking) = (new Pool(host) { Idle = 1 }, new Pool(host));
        one.Capacity.Reserve(1);
        asking.Capacity.Reserve(1);
        Run();
        Assert.Equal(1, one.Idle);
    }

    [Fact]
    public void No_more_is_reserved_than_the_last_reading_of_the_machine_allows()
    {
        _figures = new HostResources { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Pool(Host(null));
        Assert.Equal(4, pool.Capacity.Reserve(10));
        Assert.Equal(0, pool.Capacity.Reserve(1));
        Run();
        Assert.StartsWith("descriptors", pool.Shortages.Single().Limit, StringComparison.Ordinal);
    }

    [Fact]
    public void Before_the_machine_was_read_a_pool_gets_one_worker_and_the_others_after_it_without_a_message()
    {
        var host = Unmeasured(null);
        var pool = new Pool(host);
        Assert.Equal(1, pool.Capacity.Reserve(3));
        Assert.Equal((0, 0), (_readings, pool.Retries));
        Run();
        Assert.Equal((1, 1), (_readings, pool.Retries));
        Assert.Empty(pool.Shortages);
        Assert.Equal(2, pool.Capacity.Reserve(2));
        host.Measure();
        Assert.Equal(1, _readings);
    }

    [Fact]
    public void A_machine_that_cannot_be_read_leaves_each_pool_its_first_worker()
    {
        _unreadable = new IOException("no");
        var pool = new Pool(Unmeasured(null));
        Assert.Equal(1, pool.Capacity.Reserve(2));
        Run();
        Assert.Equal(0, pool.Retries);
        Assert.Equal((1, "the machine has not been measured yet"), pool.Shortages.Single());
    }

    [Fact]
    public void The_machine_is_read_again_while_pools_reserve_but_not_more_often_than_needed()
    {
        _figures = new HostResources { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Pool(Host(null)) { Measured = 4 };
        Assert.Equal(1, _readings);
        pool.Capacity.Reserve(4);
        Run();
        Assert.Equal(1, _readings);

        _time.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal(0, pool.Capacity.Reserve(1));
        Assert.Equal(0, pool.Capacity.Reserve(1));
        Run();
        Assert.Equal(2, _readings);
        Assert.Equal(4, pool.Capacity.Reserve(10));
    }

    [Fact]
    public void Workers_that_are_starting_use_no_memory_yet_and_are_counted()
    {
        _figures = new HostResources { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Pool(Host(null)) { Measured = 1 };
        pool.Capacity.Reserve(4);
        _time.Advance(TimeSpan.FromMilliseconds(300));
        pool.Capacity.Reserve(1);
        Run();

        // Four workers run and one of them was measured.
        Assert.Equal(1, pool.Capacity.Reserve(10));
    }

    [Fact]
    public void A_pool_without_workers_is_not_asked_for_their_memory()
    {
        var host = Host(null);
        var (idle, growing) = (new Pool(host), new Pool(host));
        growing.Capacity.Reserve(1);
        _time.Advance(TimeSpan.FromMilliseconds(300));
        growing.Capacity.Reserve(1);
        Run();
        Assert.Equal((2, 0, 1), (_readings, idle.Asked, growing.Asked));
    }

    [Fact]
    public void With_few_processors_a_pool_has_one_worker_for_each()
    {
        _figures = new HostResources { IsShortOfProcessors = true };
        var host = Host(null);
        var (one, other) = (new Pool(host), new Pool(host));
        Assert.Equal(2, one.Capacity.Reserve(5));
        Assert.Equal(0, one.Capacity.Reserve(1));
        Assert.Equal(2, other.Capacity.Reserve(2));
        Run();
        Assert.StartsWith("processors: ", one.Shortages.Single().Limit, StringComparison.Ordinal);
        Assert.Equal(0, one.Retries);
    }

    [Fact]
    public void The_minimum_and_its_replacements_are_kept_with_few_processors_too()
    {
        _figures = new HostResources { IsShortOfProcessors = true };
        var pool = new Pool(Host(null), minimum: 4);
        Assert.Equal(4, pool.Capacity.Reserve(9));
        Assert.Equal(0, pool.Capacity.Reserve(1));
        Run();
        Assert.Equal((1, "processors"), (pool.Shortages[0].Wanted, pool.Shortages[0].Limit.Split(':')[0]));
    }

    [Fact]
    public void A_pool_without_a_worker_gets_its_first_one_whatever_the_figures_say()
    {
        _figures = new HostResources { FreeDescriptors = 92, FreeMemory = 0, FreeProcesses = 0, IsShortOfProcessors = true };
        var host = Host(null);
        var (one, other) = (new Pool(host), new Pool(host));
        Assert.Equal(1, one.Capacity.Reserve(3));
        Assert.Equal(0, one.Capacity.Reserve(1));
        Assert.Equal(1, other.Capacity.Reserve(1));
        Run();
        var (wanted, limit) = Assert.Single(one.Shortages);
        Assert.Equal((1, "descriptors: the host can open 92 more (ulimit -n), 128 of them are kept for the host, and a worker is counted as 12"), (wanted, limit));

        // Also after the pool has lost that worker.
        one.Capacity.Release(1);
        Run();
        Assert.Equal(1, one.Capacity.Reserve(1));
    }

    [Fact]
    public void The_chosen_maximum_holds_for_a_first_worker_too()
    {
        var host = Host(1);
        var (one, other) = (new Pool(host), new Pool(host));
        one.Capacity.Reserve(1);
        Assert.Equal(0, other.Capacity.Reserve(1));
    }

    [Fact]
    public void Figures_that_cannot_be_read_are_reported_and_the_last_ones_stay()
    {
        _figures = new HostResources { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Pool(Host(null));
        Assert.Equal(2, pool.Capacity.Reserve(2));

        _unreadable = new IOException("Too many open files : '/proc/self/fd'");
        _time.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal(1, pool.Capacity.Reserve(1));
        Run();
        Assert.Same(_unreadable, Assert.Single(pool.Failures));
        Assert.Equal(1, pool.Capacity.Reserve(5));

        // The machine is read again, and the new figures apply.
        _unreadable = null;
        _figures = new HostResources { FreeDescriptors = 128 + (12 * 10) };
        _time.Advance(TimeSpan.FromMilliseconds(300));
        pool.Capacity.Reserve(1);
        Run();
        Assert.Equal(6, pool.Capacity.Reserve(100));
    }

    [Fact]
    public void A_host_that_cannot_be_read_at_startup_has_capacity_for_one_worker_per_pool()
    {
        _unreadable = new IOException("Too many open files : '/proc/self/fd'");
        var pool = new Pool(Host(null));
        Assert.Equal(1, pool.Capacity.Reserve(2));
    }

    [Fact]
    public void An_exception_of_a_pool_that_is_called_does_not_end_the_host()
    {
        var host = Host(1);
        var (one, asking) = (new Pool(host) { Failure = new IOException("no") }, new Pool(host) { NeedsWorkers = true });
        one.Capacity.Reserve(1);
        asking.Capacity.Reserve(1);
        Run();
        Assert.IsType<IOException>(Assert.Single(one.Failures));
    }

    [Fact]
    public void A_limit_of_processes_that_the_host_shares_with_its_workers_is_reported_once()
    {
        Assert.Null(Host(null).TakeSharedProcessLimit());
        _figures = new HostResources { SharedProcessLimit = 110 };
        var host = Host(null);
        Assert.Equal(110, new PoolCapacity(host).TakeSharedProcessLimit());
        Assert.Null(new PoolCapacity(host).TakeSharedProcessLimit());
    }

    [Fact]
    public void Nothing_happens_without_a_request()
    {
        Host(3);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(1, _readings);
        Assert.Empty(_queued);
    }

    [Fact]
    public void A_pool_that_is_drained_is_not_called_any_more()
    {
        var host = Host(1);
        var (gone, asking) = (new Pool(host) { Idle = 1 }, new Pool(host) { NeedsWorkers = true });
        gone.Capacity.Reserve(1);
        gone.Capacity.Close();
        asking.Capacity.Reserve(1);
        Run();
        Assert.Equal(1, gone.Idle);
    }

    [Fact]
    public void Pools_are_called_and_the_machine_is_read_without_the_lock_of_the_capacity()
    {
        // A pool reserves under its own lock: if the lock of the capacity were held while a pool is called, there would be a deadlock.
        _figures = new HostResources { FreeDescriptors = 128 + (12 * 1) };
        var host = Host(null);
        var (idle, asking) = (new Pool(host) { Idle = 1 }, new Pool(host) { NeedsWorkers = true });
        var calls = new List<string>();
        _reading = idle.Called = asking.Called = call =>
        {
            var other = new Thread(() => _ = host.Reserved);
            other.Start();
            Assert.True(other.Join(TimeSpan.FromSeconds(30)), call);
            calls.Add(call);
        };
        idle.Capacity.Reserve(1);
        asking.Capacity.Reserve(1);
        _time.Advance(TimeSpan.FromMilliseconds(300));
        asking.Capacity.Reserve(1);
        Run();
        idle.Capacity.Release(1);
        Run();
        _unreadable = new IOException("no");
        _time.Advance(TimeSpan.FromMilliseconds(300));
        asking.Capacity.Reserve(1);
        Run();
        Assert.Equal(
            ["AddWorkerMemory", "NeedsWorkers", "ReportFailure", "ReportShortage", "RetireIdle", "RetryReserve", "read"],
            calls.Distinct().Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Reservations_from_many_threads_never_exceed_the_maximum()
    {
        var host = new HostCapacity(100, () => default, 2, TimeProvider.System, static _ => { });
        host.Measure();
        var most = 0;
        await Task.WhenAll(Enumerable.Range(0, 8).Select(seed => Task.Run(() =>
        {
            var capacity = new PoolCapacity(host);
            for (var i = 0; i < 20_000; i++)
            {
                var taken = capacity.Reserve(1 + ((seed + i) % 40));
                InterlockedMax(ref most, host.Reserved);
                capacity.Release(taken);
            }
        })));
        Assert.InRange(most, 1, 100);
        Assert.Equal(0, host.Reserved);
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var seen = Volatile.Read(ref most); value > seen; seen = Volatile.Read(ref most))
        {
            Interlocked.CompareExchange(ref most, value, seen);
        }
    }

    private HostCapacity Host(int? most)
    {
        var host = Unmeasured(most);
        host.Measure();
        return host;
    }

    private HostCapacity Unmeasured(int? most) => new(
        most,
        () =>
        {
            _readings++;
            _reading?.Invoke("read");
            return _unreadable is null ? _figures : throw _unreadable;
        },
        processors: 2,
        _time,
        _queued.Enqueue);

    private void Run()
    {
        for (var i = 0; i < 100 && _queued.TryDequeue(out var work); i++)
        {
            work();
        }

        Assert.Empty(_queued);
    }

    private sealed class Pool : ICapacityUser
    {
        private readonly bool _needsWorkers;

        public Pool(HostCapacity host, int minimum = 0)
        {
            Capacity = new PoolCapacity(host, minimum);
            Capacity.Open(this);
        }

        public PoolCapacity Capacity { get; }

        public bool NeedsWorkers
        {
            get
            {
                Called?.Invoke(nameof(NeedsWorkers));
                return _needsWorkers;
            }

            init => _needsWorkers = value;
        }

        public int Idle { get; set; }

        public int Measured { get; init; }

        public int Retries { get; private set; }

        public int Asked { get; private set; }

        public Exception? Failure { get; init; }

        public List<Exception> Failures { get; } = [];

        public List<(int Wanted, string Limit)> Shortages { get; } = [];

        /// <summary>Receives the name of each method that the host calls.</summary>
        public Action<string>? Called { get; set; }

        public void RetryReserve()
        {
            Called?.Invoke(nameof(RetryReserve));
            Retries++;
        }

        public int RetireIdle(int most)
        {
            Called?.Invoke(nameof(RetireIdle));
            if (Failure is not null)
            {
                throw Failure;
            }

            var retired = Math.Min(most, Idle);
            Idle -= retired;
            return retired;
        }

        public void ReportShortage(int wanted, string limit)
        {
            Called?.Invoke(nameof(ReportShortage));
            Shortages.Add((wanted, limit));
        }

        public void ReportFailure(Exception failure)
        {
            Called?.Invoke(nameof(ReportFailure));
            Failures.Add(failure);
        }

        public void AddWorkerMemory(List<long> memory)
        {
            Called?.Invoke(nameof(AddWorkerMemory));
            Asked++;
            memory.AddRange(Enumerable.Repeat(1L, Measured));
        }
    }
}
