using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public class HostRoomTests
{
    private readonly ManualTime _time = new();

    // Bounded by what the test itself asks for.
    private readonly Queue<Action> _queued = new();
    private HostFigures _figures;
    private int _looks;
    private Exception? _unreadable;

    [Fact]
    public void The_chosen_maximum_holds_over_all_pools()
    {
        var host = Host(5);
        var (one, other) = (new Guest(host), new Guest(host));
        Assert.Equal(3, one.Room.Take(3));
        Assert.Equal(2, other.Room.Take(3));
        Assert.Equal(0, one.Room.Take(1));
        Assert.Equal(5, host.Lent);
    }

    [Fact]
    public void Whoever_was_refused_hears_when_room_comes_back()
    {
        var host = Host(2);
        var (one, other) = (new Guest(host), new Guest(host));
        one.Room.Take(2);
        Assert.Equal(0, other.Room.Take(1));
        Run();
        Assert.Equal(0, other.Ticks);
        Assert.Equal((1, "MaxWorkers of all pools is 2, and so many live"), other.Told.Single());

        one.Room.Return(1);
        Run();
        Assert.Equal(1, other.Ticks);
        Assert.Equal(1, other.Room.Take(1));
    }

    [Fact]
    public void Who_was_refused_is_told_once_and_asks_again_once()
    {
        var host = Host(1);
        var (one, other) = (new Guest(host), new Guest(host));
        one.Room.Take(1);
        other.Room.Take(1);
        Run();
        one.Room.Return(1);
        Run();
        Assert.Equal(1, other.Ticks);
        other.Room.Return(0);
        Run();
        Assert.Equal(1, other.Ticks);
    }

    [Fact]
    public void Idle_workers_of_others_make_room()
    {
        var host = Host(3);
        var (one, other, asking) = (new Guest(host) { Idle = 1 }, new Guest(host) { Idle = 5 }, new Guest(host) { IsPressed = true });
        one.Room.Take(1);
        other.Room.Take(2);
        Assert.Equal(0, asking.Room.Take(2));
        Run();
        Assert.Equal((0, 4, 0), (one.Idle, other.Idle, asking.Idle));
    }

    [Fact]
    public void What_would_only_be_started_ahead_is_not_taken_from_others()
    {
        var host = Host(1);
        var (one, asking) = (new Guest(host) { Idle = 1 }, new Guest(host));
        one.Room.Take(1);
        asking.Room.Take(1);
        Run();
        Assert.Equal(1, one.Idle);
    }

    [Fact]
    public void The_machines_room_is_lent_no_further_than_the_last_look_allows()
    {
        _figures = new HostFigures { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Guest(Host(null));
        Assert.Equal(4, pool.Room.Take(10));
        Assert.Equal(0, pool.Room.Take(1));
        Run();
        Assert.StartsWith("descriptors", pool.Told.Single().Bound, StringComparison.Ordinal);
    }

    [Fact]
    public void A_pool_that_grows_has_the_machine_looked_at_again_but_not_more_often_than_needed()
    {
        _figures = new HostFigures { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Guest(Host(null)) { Measured = 4 };
        Assert.Equal(1, _looks);
        pool.Room.Take(4);
        Run();
        Assert.Equal(1, _looks);

        _time.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal(0, pool.Room.Take(1));
        Assert.Equal(0, pool.Room.Take(1));
        Run();
        Assert.Equal(2, _looks);
        Assert.Equal(4, pool.Room.Take(10));
    }

    [Fact]
    public void Workers_that_only_start_have_taken_nothing_yet_and_are_reckoned_with()
    {
        _figures = new HostFigures { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Guest(Host(null)) { Measured = 1 };
        pool.Room.Take(4);
        _time.Advance(TimeSpan.FromMilliseconds(300));
        pool.Room.Take(1);
        Run();

        // Four live and one of them was seen.
        Assert.Equal(1, pool.Room.Take(10));
    }

    [Fact]
    public void A_pool_without_workers_is_not_asked_for_their_memory()
    {
        var host = Host(null);
        var (idle, growing) = (new Guest(host), new Guest(host));
        growing.Room.Take(1);
        _time.Advance(TimeSpan.FromMilliseconds(300));
        growing.Room.Take(1);
        Run();
        Assert.Equal((2, 0, 1), (_looks, idle.Asked, growing.Asked));
    }

    [Fact]
    public void Where_processors_are_short_a_pool_has_one_worker_for_each()
    {
        _figures = new HostFigures { IsShortOfProcessors = true };
        var host = Host(null);
        var (one, other) = (new Guest(host), new Guest(host));
        Assert.Equal(2, one.Room.Take(5));
        Assert.Equal(0, one.Room.Take(1));
        Assert.Equal(2, other.Room.Take(2));
        Run();
        Assert.StartsWith("processors: ", one.Told.Single().Bound, StringComparison.Ordinal);
        Assert.Equal(0, one.Ticks);
    }

    [Fact]
    public void A_minimum_and_its_replacement_stand_also_where_processors_are_short()
    {
        _figures = new HostFigures { IsShortOfProcessors = true };
        var pool = new Guest(Host(null), always: 4);
        Assert.Equal(4, pool.Room.Take(9));
        Assert.Equal(0, pool.Room.Take(1));
        Run();
        Assert.Equal((1, "processors"), (pool.Told[0].Wanted, pool.Told[0].Bound.Split(':')[0]));
    }

    [Fact]
    public void A_pool_without_a_worker_gets_its_first_one_whatever_the_figures_say()
    {
        _figures = new HostFigures { FreeDescriptors = 92, FreeMemory = 0, FreeProcesses = 0, IsShortOfProcessors = true };
        var host = Host(null);
        var (one, other) = (new Guest(host), new Guest(host));
        Assert.Equal(1, one.Room.Take(3));
        Assert.Equal(0, one.Room.Take(1));
        Assert.Equal(1, other.Room.Take(1));
        Run();
        var (wanted, bound) = Assert.Single(one.Told);
        Assert.Equal((1, "descriptors: the host can open 92 more (ulimit -n), 128 of them are kept for the host, and a worker is reckoned with 12"), (wanted, bound));

        // Also when it has lost it.
        one.Room.Return(1);
        Run();
        Assert.Equal(1, one.Room.Take(1));
    }

    [Fact]
    public void The_chosen_maximum_holds_for_a_first_worker_too()
    {
        var host = Host(1);
        var (one, other) = (new Guest(host), new Guest(host));
        one.Room.Take(1);
        Assert.Equal(0, other.Room.Take(1));
    }

    [Fact]
    public void Figures_that_cannot_be_read_are_reported_and_the_last_ones_stay()
    {
        _figures = new HostFigures { FreeDescriptors = 128 + (12 * 4) };
        var pool = new Guest(Host(null));
        Assert.Equal(2, pool.Room.Take(2));

        _unreadable = new IOException("Too many open files : '/proc/self/fd'");
        _time.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal(1, pool.Room.Take(1));
        Run();
        Assert.Same(_unreadable, Assert.Single(pool.Failures));
        Assert.Equal(1, pool.Room.Take(5));

        // It is looked at again, and then anew.
        _unreadable = null;
        _figures = new HostFigures { FreeDescriptors = 128 + (12 * 10) };
        _time.Advance(TimeSpan.FromMilliseconds(300));
        pool.Room.Take(1);
        Run();
        Assert.Equal(6, pool.Room.Take(100));
    }

    [Fact]
    public void A_host_that_cannot_be_looked_at_when_it_begins_bears_a_worker_for_each_pool()
    {
        _unreadable = new IOException("Too many open files : '/proc/self/fd'");
        var pool = new Guest(Host(null));
        Assert.Equal(1, pool.Room.Take(2));
    }

    [Fact]
    public void A_pool_that_fails_when_it_is_served_does_not_end_the_host()
    {
        var host = Host(1);
        var (one, asking) = (new Guest(host) { Failure = new IOException("no") }, new Guest(host) { IsPressed = true });
        one.Room.Take(1);
        asking.Room.Take(1);
        Run();
        Assert.IsType<IOException>(Assert.Single(one.Failures));
    }

    [Fact]
    public void A_limit_of_processes_that_the_host_shares_with_its_workers_is_spoken_of_once()
    {
        Assert.Null(Host(null).TakeSharedProcessLimit());
        _figures = new HostFigures { SharedProcessLimit = 110 };
        var host = Host(null);
        Assert.Equal(110, new PoolRoom(host).TakeSharedProcessLimit());
        Assert.Null(new PoolRoom(host).TakeSharedProcessLimit());
    }

    [Fact]
    public void Nothing_happens_by_itself()
    {
        Host(3);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(1, _looks);
        Assert.Empty(_queued);
    }

    [Fact]
    public void A_pool_that_is_drained_is_asked_nothing_any_more()
    {
        var host = Host(1);
        var (gone, asking) = (new Guest(host) { Idle = 1 }, new Guest(host) { IsPressed = true });
        gone.Room.Take(1);
        gone.Room.Close();
        asking.Room.Take(1);
        Run();
        Assert.Equal(1, gone.Idle);
    }

    [Fact]
    public async Task Loans_from_many_threads_never_exceed_the_maximum()
    {
        var host = new HostRoom(100, () => default, 2, TimeProvider.System, static _ => { });
        var most = 0;
        await Task.WhenAll(Enumerable.Range(0, 8).Select(seed => Task.Run(() =>
        {
            var room = new PoolRoom(host);
            for (var i = 0; i < 20_000; i++)
            {
                var taken = room.Take(1 + ((seed + i) % 40));
                InterlockedMax(ref most, host.Lent);
                room.Return(taken);
            }
        })));
        Assert.InRange(most, 1, 100);
        Assert.Equal(0, host.Lent);
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var seen = Volatile.Read(ref most); value > seen; seen = Volatile.Read(ref most))
        {
            Interlocked.CompareExchange(ref most, value, seen);
        }
    }

    private HostRoom Host(int? most) => new(
        most,
        () =>
        {
            _looks++;
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

    private sealed class Guest : IRoomGuest
    {
        public Guest(HostRoom host, int always = 0)
        {
            Room = new PoolRoom(host, always);
            Room.Open(this);
        }

        public PoolRoom Room { get; }

        public bool IsPressed { get; init; }

        public int Idle { get; set; }

        public int Measured { get; init; }

        public int Ticks { get; private set; }

        public List<(int Wanted, string Bound)> Told { get; } = [];

        public void Tick() => Ticks++;

        public Exception? Failure { get; init; }

        public List<Exception> Failures { get; } = [];

        public void ReportFailure(Exception failure) => Failures.Add(failure);

        public int Shrink(int most)
        {
            if (Failure is not null)
            {
                throw Failure;
            }

            var gone = Math.Min(most, Idle);
            Idle -= gone;
            return gone;
        }

        public void TellShort(int wanted, string bound) => Told.Add((wanted, bound));

        public int Asked { get; private set; }

        public void AddMemories(List<long> memories)
        {
            Asked++;
            memories.AddRange(Enumerable.Repeat(1L, Measured));
        }
    }
}
