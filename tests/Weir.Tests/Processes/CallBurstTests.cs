using System.Collections.Concurrent;
using Weir.Execution.Processes;
using Weir.Protocol;
using Weir.Tests.Worker;

namespace Weir.Tests.Processes;

/// <summary>Bursts that are executed on the test's own thread, over readers that have what the test says.</summary>
public sealed class CallBurstTests
{
    private const int Many = CallBurst.Least;

    private readonly ManualTime _time = new();
    private readonly PoolBursts _bursts = new(most: 1);
    private readonly CallBurst _burst;
    private readonly ConcurrentQueue<string> _ran = new();
    private bool _isNeeded;

    public CallBurstTests() => _burst = new CallBurst(_bursts, new AnswerPoll(_time, () => _isNeeded, SpinRule.Longest));

    [Fact]
    public void One_thread_goes_on_with_all_callers_and_with_those_of_the_next_answers()
    {
        var threads = new HashSet<int>();
        var reader = new Reader();
        reader.Answers.Enqueue(Callers(Many, () => threads.Add(Environment.CurrentManagedThreadId)));
        reader.Answers.Enqueue(Callers(1, () => threads.Add(Environment.CurrentManagedThreadId)));
        Assert.True(_burst.TryAdd(reader, Ended(Callers(Many, () => threads.Add(Environment.CurrentManagedThreadId)))));

        Execute();

        Assert.Equal([Environment.CurrentManagedThreadId], threads);

        // The single answer ended it.
        Assert.Equal([2], reader.Rounds);
    }

    [Fact]
    public void It_waits_for_answers_as_long_as_there_are_calls()
    {
        var reader = new Reader();
        reader.OnLook = () =>
        {
            _time.Advance(SpinRule.Longest / 8);
            reader.HasCalls = reader.Looks < 4;
        };
        _burst.TryAdd(reader, Ended(Callers(Many)));

        Execute();

        Assert.Equal((4, 1), (reader.Looks, reader.Rounds.Count));
    }

    [Fact]
    public void It_waits_no_longer_than_polling_lasts()
    {
        var reader = new Reader();
        reader.OnLook = () => _time.Advance(SpinRule.Longest / 4);
        _burst.TryAdd(reader, Ended(Callers(Many)));

        Execute();

        Assert.InRange(reader.Looks, 4, 6);
        Assert.Single(reader.Rounds);
    }

    [Fact]
    public void Whatever_else_waits_for_a_thread_has_its_turn_first()
    {
        _isNeeded = true;
        var reader = new Reader();
        using var over = new Gate();
        reader.OnEnded = over.Open;
        reader.Answers.Enqueue(Callers(Many, () => _ran.Enqueue("its turn")));
        _burst.TryAdd(reader, Ended(Callers(Many, () => _ran.Enqueue("first"))));

        Execute();

        // The rest was queued; the thread pool goes on with it, until it has come in vain so many times.
        over.Pass();
        Assert.Equal((Many, Many), (_ran.Count(static one => one == "first"), _ran.Count(static one => one == "its turn")));
    }

    [Fact]
    public void A_reader_that_gives_it_up_takes_nothing_from_those_who_have_not_gone_on()
    {
        var (reader, other) = (new Reader(), new Reader());
        using var rest = new CountdownEvent(Many - 1);
        var threads = new ConcurrentQueue<int>();
        var callers = new EndedCallers();
        callers.TryTake(
            new Continuation(() =>
            {
                // As the reader's thread does, while this caller blocks the burst.
                var giver = new Thread(() => _burst.GiveUp(reader));
                giver.Start();
                giver.Join();
                Assert.True(rest.Wait(MemoryPipe.Patience));
            }),
            endings: 1);
        for (var i = 1; i < Many; i++)
        {
            callers.TryTake(
                new Continuation(() =>
                {
                    threads.Enqueue(Environment.CurrentManagedThreadId);
                    rest.Signal();
                }),
                endings: 1);
        }

        _burst.TryAdd(reader, callers);
        _burst.TryAdd(other, new EndedCallers());

        Execute();

        Assert.DoesNotContain(Environment.CurrentManagedThreadId, threads);
        Assert.Equal((0, 0), (reader.Rounds.Count, other.Looks));

        // Whose answers it read besides is to read by itself.
        Assert.Equal([0], other.Rounds);
    }

    [Fact]
    public void After_its_end_it_takes_nobody()
    {
        _burst.TryAdd(new Reader { HasCalls = false }, Ended(Callers(Many)));
        Execute();

        Assert.False(_burst.TryAdd(new Reader(), Ended(Callers(Many))));
        Assert.False(_burst.TryTake(new Continuation(static () => { }), endings: 1));
    }

    [Fact]
    public void What_one_caller_sets_on_its_flow_the_next_does_not_see()
    {
        var local = new AsyncLocal<int>();
        var seen = new List<int>();
        _burst.TryAdd(
            new Reader { HasCalls = false },
            Ended(Callers(Many, () =>
            {
                seen.Add(local.Value);
                local.Value = 1;
            })));

        Execute();

        Assert.Equal(Enumerable.Repeat(0, Many), seen);
    }

    [Fact]
    public void Where_a_pool_has_as_many_bursts_as_it_may_one_of_them_reads_for_another_worker_too()
    {
        using var second = new Gate();
        using var done = new CountdownEvent(2);
        var (reader, other) = (new Reader { HasCalls = false, OnEnded = () => done.Signal() }, new Reader { HasCalls = false, OnEnded = () => done.Signal() });

        var first = _bursts.TryTake(reader, Ended([second.Pass, .. Callers(Many)]));
        var joined = _bursts.TryTake(other, Ended(Callers(Many, () => _ran.Enqueue("joined"))));
        second.Open();

        Assert.True(done.Wait(MemoryPipe.Patience));
        Assert.Same(first, joined);
        Assert.Equal(Many, _ran.Count);
    }

    [Fact]
    public void A_pool_that_may_have_none_has_none() => Assert.Null(new PoolBursts(most: 0).TryTake(new Reader(), Ended(Callers(Many))));

    private static Action[] Callers(int count, Action? caller = null) => [.. Enumerable.Repeat(caller ?? (static () => { }), count)];

    private static EndedCallers Ended(Action[] callers)
    {
        var ended = new EndedCallers();
        foreach (var caller in callers)
        {
            ended.TryTake(new Continuation(caller), endings: 1);
        }

        return ended;
    }

    private void Execute() => ((IThreadPoolWorkItem)_burst).Execute();

    private sealed class Continuation(Action run) : IThreadPoolWorkItem
    {
        public void Execute() => run();
    }

    private sealed class Reader : IBurstReader
    {
        public Queue<Action[]> Answers { get; } = new();

        public List<int> Rounds { get; } = [];

        public int Looks { get; private set; }

        public Action? OnLook { get; set; }

        public Action? OnEnded { get; set; }

        public bool IsHandedOver => true;

        public bool HasCalls { get; set; } = true;

        public bool TryReadAhead(IResumer? resumer)
        {
            Looks++;
            OnLook?.Invoke();
            if (Answers.TryDequeue(out var callers))
            {
                foreach (var caller in callers)
                {
                    Assert.True(resumer!.TryTake(new Continuation(caller), endings: 1));
                }
            }

            return true;
        }

        public void BurstEnded(int rounds)
        {
            Rounds.Add(rounds);
            OnEnded?.Invoke();
        }

        public void Wake() => throw new InvalidOperationException("It is woken by the burst's end.");

        public void Bar(TimeSpan penalty) => throw new InvalidOperationException("A burst bars nobody.");
    }
}
