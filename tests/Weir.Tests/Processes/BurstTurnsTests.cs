using Weir.Execution.Processes;
using Weir.Protocol;
using Weir.Tests.Worker;

namespace Weir.Tests.Processes;

public sealed class BurstTurnsTests : IDisposable
{
    private static readonly TimeSpan Short = TimeSpan.FromMicroseconds(1);

    private readonly ManualTime _time = new();
    private readonly ReadRight _right;
    private readonly BurstTurns _turns;
    private readonly Reader _reader;

    public BurstTurnsTests()
    {
        _right = new ReadRight(static () => true, _time);
        _turns = new BurstTurns(_right, new PoolBursts(most: 1));
        _reader = new Reader(_turns);
    }

    public void Dispose() => _reader.Dispose();

    [Fact]
    public void Callers_of_short_calls_that_end_together_are_a_bursts()
    {
        Take(CallBurst.Least);
        _reader.Ended.Pass();
        Assert.Equal(1, _reader.Bursts);
        Assert.False(_right.IsHandedOver);
    }

    [Fact]
    public void A_few_go_on_by_themselves()
    {
        using var all = new CountdownEvent(CallBurst.Least - 1);
        Take(CallBurst.Least - 1, all);
        Assert.True(all.Wait(MemoryPipe.Patience));
        Assert.Equal(0, _reader.Bursts);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(1000)]
    public void Where_calls_take_longer_or_nobody_knows_how_long_there_is_no_burst(int microseconds) =>
        Assert.Null(_turns.Begin(TimeSpan.FromMicroseconds(microseconds)));

    [Fact]
    public void Where_promises_count_for_nothing_there_is_no_burst()
    {
        _right.Bar(SpinRule.Penalty);
        Assert.Null(_turns.Begin(Short));
        _time.Advance(SpinRule.Penalty);
        Assert.NotNull(_turns.Begin(Short));
    }

    [Fact]
    public void After_bursts_that_soon_ended_there_is_none_for_a_while_and_after_one_that_was_worth_it_there_is()
    {
        var skipped = new List<int>();
        for (var burst = 0; burst < 5; burst++)
        {
            skipped.Add(Skipped());
        }

        // As one tells that went on often.
        _turns.Ended(rounds: 100);
        skipped.Add(Skipped());

        Assert.Equal([0, 1, 2, 4, 4, 0], skipped);
    }

    [Fact]
    public void Where_nothing_more_is_to_be_read_callers_go_on_by_themselves()
    {
        using var all = new CountdownEvent(CallBurst.Least);
        var resumer = _turns.Begin(Short)!;
        for (var i = 0; i < CallBurst.Least; i++)
        {
            resumer.TryTake(new Continuation(() => all.Signal()), endings: 1);
        }

        _turns.End(null);

        Assert.True(all.Wait(MemoryPipe.Patience));
        Assert.False(_right.IsHandedOver);
    }

    // How often there is none before there is one again, which is then begun.
    private int Skipped()
    {
        var skipped = 0;
        IResumer? resumer;
        while ((resumer = _turns.Begin(Short)) is null)
        {
            skipped++;
        }

        End(resumer, CallBurst.Least, null);
        _reader.Ended.Pass();
        _reader.Renew();
        return skipped;
    }

    private void Take(int callers, CountdownEvent? all = null) => End(_turns.Begin(Short)!, callers, all);

    private void End(IResumer resumer, int callers, CountdownEvent? all)
    {
        for (var i = 0; i < callers; i++)
        {
            Assert.True(resumer.TryTake(new Continuation(() => all?.Signal()), endings: 1));
        }

        _turns.End(_reader);
    }

    private sealed class Continuation(Action run) : IThreadPoolWorkItem
    {
        public void Execute() => run();
    }

    // Its worker has no calls: a burst ends at once.
    private sealed class Reader(BurstTurns turns) : IBurstReader, IDisposable
    {
        private int _bursts;

        public Gate Ended { get; private set; } = new();

        public int Bursts => Volatile.Read(ref _bursts);

        public bool IsHandedOver => false;

        public bool HasCalls => false;

        public bool TryReadAhead(IResumer? resumer) => false;

        public void BurstEnded(int rounds)
        {
            Interlocked.Increment(ref _bursts);
            turns.Ended(rounds);
            Ended.Open();
        }

        public void Renew()
        {
            Ended.Dispose();
            Ended = new Gate();
        }

        public void Wake()
        {
        }

        public void Bar(TimeSpan penalty)
        {
        }

        public void Dispose() => Ended.Dispose();
    }
}
