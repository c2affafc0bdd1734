using Weir.Execution.Processes;
using Weir.Protocol;
using Weir.Tests.Worker;

namespace Weir.Tests.Processes;

/// <summary>The reader's naps end only where a test ends them, but for those tests that are about how they end by themselves.</summary>
public sealed class ReadRightTests : IDisposable
{
    private readonly ManualTime _time = new();
    private ReadRight _right;
    private readonly Gate _reads = new();
    private volatile bool _hasCalls;
    private volatile bool _handsOver;
    private volatile bool _isOver;
    private Thread? _reader;
    private int _turns;

    public ReadRightTests() => _right = New(TimeSpan.FromMinutes(10));

    public void Dispose()
    {
        _isOver = true;
        while (_reader?.IsAlive == true)
        {
            _right.Wake();
            Thread.Yield();
        }

        _reads.Dispose();
    }

    [Fact]
    public void Nobody_else_reads_while_the_reader_does()
    {
        using var go = new Gate();
        var reader = new Thread(() => _right.Hold(() =>
        {
            _reads.Open();
            go.Pass();
        }));
        reader.Start();
        _reads.Pass();

        Assert.False(_right.TryRead(0, static _ => throw new InvalidOperationException("It was not this thread's turn.")));

        go.Open();
        reader.Join();
    }

    [Fact]
    public void The_reader_leaves_it_to_others_who_read()
    {
        Start();

        var own = Read();

        Assert.Equal(Environment.CurrentManagedThreadId, own);
        Assert.True(_right.TakesPromises);
    }

    [Fact]
    public void Who_is_told_that_the_reader_should_see_to_the_rest_tries_no_more()
    {
        Start();
        Read();

        Assert.False(_right.TryRead(0, static _ => -1));
    }

    [Fact]
    public void The_reader_goes_on_when_it_is_wanted()
    {
        Start();
        Read();
        var before = Volatile.Read(ref _turns);

        for (var rounds = 0; Volatile.Read(ref _turns) == before; rounds++)
        {
            Assert.True(rounds < 1_000_000, "The reader sleeps on.");
            _right.Wake();
            Thread.Yield();
        }
    }

    [Fact]
    public void An_answer_nobody_reads_is_the_readers_after_a_nap_and_promises_count_for_nothing_for_a_while()
    {
        _right = New(ReadRight.LongestNap);
        Start();
        Read();

        // A call is given to the worker by somebody who promised to read, and does not.
        _hasCalls = true;
        for (var rounds = 0; _right.TakesPromises; rounds++)
        {
            Assert.True(rounds < 100_000_000, "Nobody noticed.");
            Thread.Yield();
        }

        _time.Advance(SpinRule.Penalty);
        Assert.True(_right.TakesPromises);
    }

    [Fact]
    public void While_a_burst_reads_the_reader_naps_although_there_are_calls_until_it_reads_no_more()
    {
        _hasCalls = true;
        _handsOver = true;
        Start();
        Read();
        Assert.True(_right.IsHandedOver);

        _handsOver = false;
        var before = Volatile.Read(ref _turns);
        _right.TakeBack();
        Assert.False(_right.IsHandedOver);
        for (var rounds = 0; Volatile.Read(ref _turns) == before; rounds++)
        {
            Assert.True(rounds < 100_000_000, "The reader sleeps on.");
            Thread.Yield();
        }

        Assert.True(_right.TakesPromises);
    }

    [Fact]
    public void A_burst_that_does_not_read_is_the_readers_after_a_nap_and_for_a_short_while_there_is_none()
    {
        _right = New(ReadRight.LongestNap);
        _hasCalls = true;
        _handsOver = true;
        Start();
        for (var rounds = 0; _right.TakesPromises; rounds++)
        {
            Assert.True(rounds < 100_000_000, "Nobody noticed.");
            Thread.Yield();
        }

        _handsOver = false;

        // The nap that has begun may end in another.
        for (var rounds = 0; !_right.TakesPromises; rounds++)
        {
            Assert.True(rounds < 10, "It lasts.");
            _time.Advance(64 * 2 * ReadRight.LongestNap);
        }
    }

    [Fact]
    public void Promises_that_are_dear_again_and_again_count_for_nothing_twice_as_long_each_time_up_to_a_bound()
    {
        var barred = new List<double>();
        for (var i = 0; i < 11; i++)
        {
            _right.Bar(TimeSpan.FromMilliseconds(10));
            barred.Add(TimeUntilPromisesCount());
        }

        // After many answers that were read in peace it is the first time again.
        Start();
        for (var i = 0; i < 200; i++)
        {
            Read();
        }

        _right.Bar(TimeSpan.FromMilliseconds(30));
        barred.Add(TimeUntilPromisesCount());

        Assert.Equal([10, 20, 40, 80, 160, 320, 640, 640, 640, 640, 640, 30], barred);
    }

    [Fact]
    public void After_the_end_nobody_reads()
    {
        _right.Hold(static () => { });

        Assert.False(_right.TryRead(0, static _ => throw new InvalidOperationException("There is nothing to read from.")));
    }

    private ReadRight New(TimeSpan longestNap) => new(() => _hasCalls, _time, longestNap);

    // A reader that takes every turn it gets, and waits for nothing but its naps.
    private void Start()
    {
        _reader = new Thread(() => _right.Hold(() =>
        {
            _reads.Open();
            while (!_isOver)
            {
                Interlocked.Increment(ref _turns);
                if (_handsOver)
                {
                    _right.HandOver();
                }

                _right.Nap();
            }
        }));
        _reader.Start();
        _reads.Pass();
    }

    private double TimeUntilPromisesCount()
    {
        var start = _time.GetTimestamp();
        while (!_right.TakesPromises)
        {
            _time.Advance(TimeSpan.FromMilliseconds(10));
        }

        return _time.GetElapsedTime(start).TotalMilliseconds;
    }

    // As somebody who polls: until it had the right once. Gives the thread that read.
    private int Read()
    {
        var own = 0;
        for (var rounds = 0; own == 0; rounds++)
        {
            Assert.True(rounds < 100_000_000, "The reader never lets go.");
            _right.TryRead(0, _ =>
            {
                own = Environment.CurrentManagedThreadId;
                return 1;
            });
        }

        return own;
    }
}
