using Weir.Execution.Processes;
using Weir.Protocol;

namespace Weir.Tests.Processes;

public sealed class IdleThreadTests
{
    private readonly ManualTime _time = new();
    private readonly Reader _reader = new();
    private readonly IdleThread _thread;
    private bool _isNeeded;

    public IdleThreadTests() => _thread = new IdleThread(new AnswerPoll(_time, () => _isNeeded, SpinRule.Longest));

    [Fact]
    public void What_awaits_the_answer_goes_on_on_the_thread_that_read_it()
    {
        var ran = 0;
        _reader.Answers(after: 3, () => ran = Environment.CurrentManagedThreadId);

        _thread.Run(_reader);

        Assert.Equal((Environment.CurrentManagedThreadId, 3, 0), (ran, _reader.Looks, _reader.Wakes));
    }

    [Fact]
    public void It_polls_for_the_call_that_is_made_meanwhile_and_for_one_only()
    {
        var other = new Reader();
        var ran = new List<string>();
        var promised = new List<bool>();
        _reader.Answers(after: 1, () =>
        {
            ran.Add("first");
            promised.Add(_thread.TryPromise(other));
            promised.Add(_thread.TryPromise(_reader));
        });
        other.Answers(after: 2, () =>
        {
            ran.Add("second");
            promised.Add(_thread.TryPromise(_reader));
        });
        _reader.Answers(after: 1, () => ran.Add("third"));

        _thread.Run(_reader);

        Assert.Equal(["first", "second", "third"], ran);
        Assert.Equal([true, false, true], promised);
        Assert.Equal((0, 0), (_reader.Wakes, other.Wakes));
        Assert.False(_thread.TryPromise(_reader));
    }

    [Fact]
    public void What_one_caller_sets_on_its_flow_the_next_does_not_see()
    {
        var local = new AsyncLocal<string>();
        (string? Flow, SynchronizationContext? Context)? seen = null;
        _reader.Answers(after: 1, () =>
        {
            local.Value = "the first one's";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            _thread.TryPromise(_reader);
        });
        _reader.Answers(after: 1, () => seen = (local.Value, SynchronizationContext.Current));

        _thread.Run(_reader);

        Assert.Equal((null, null), seen);
    }

    [Fact]
    public void An_answer_that_does_not_come_soon_is_left_to_the_reader()
    {
        _reader.OnLook = () => _time.Advance(SpinRule.Longest / 4);

        _thread.Run(_reader);

        Assert.InRange(_reader.Looks, 4, 6);
        Assert.Equal((1, 0), (_reader.Wakes, _reader.Bars));
    }

    [Fact]
    public void Where_others_need_the_processor_nobody_polls_for_a_while()
    {
        _reader.OnLook = () => _time.Advance(SpinRule.LongYield * 2);

        _thread.Run(_reader);

        Assert.Equal((1, 1, 1), (_reader.Looks, _reader.Wakes, _reader.Bars));
    }

    [Fact]
    public void It_polls_no_more_when_something_else_waits_for_a_thread()
    {
        _reader.OnLook = () => _isNeeded = _reader.Looks == 2;

        _thread.Run(_reader);

        Assert.Equal((2, 1), (_reader.Looks, _reader.Wakes));
    }

    [Fact]
    public void Where_the_reader_reads_itself_nobody_polls()
    {
        _reader.IsFree = false;

        _thread.Run(_reader);

        Assert.Equal((1, 1), (_reader.Looks, _reader.Wakes));
    }

    [Fact]
    public void An_answer_that_nobody_awaits_yet_ends_no_polling()
    {
        _reader.Answers(after: 1, null);
        _reader.OnLook = () => _time.Advance(SpinRule.Longest);

        _thread.Run(_reader);

        Assert.Equal(1, _reader.Wakes);
        Assert.True(_thread.IsFree);
    }

    private sealed class Reader : IAnswerReader
    {
        private readonly Queue<(int After, Action? Run)> _answers = new();
        private int _since;

        internal int Looks { get; private set; }

        internal int Wakes { get; private set; }

        internal int Bars { get; private set; }

        internal bool IsFree { get; set; } = true;

        internal Action? OnLook { get; set; }

        public bool TryReadAhead(IResumer? resumer)
        {
            Looks++;
            _since++;
            OnLook?.Invoke();
            if (_answers.TryPeek(out var answer) && _since == answer.After)
            {
                _since = 0;
                _answers.Dequeue();
                if (answer.Run is { } run)
                {
                    Assert.True(resumer!.TryTake(new Continuation(run), endings: 1));
                }
            }

            return IsFree;
        }

        public void Wake() => Wakes++;

        public void Bar(TimeSpan penalty)
        {
            Assert.Equal(12 * SpinRule.LongYield * 2, penalty);
            Bars++;
        }

        internal void Answers(int after, Action? run) => _answers.Enqueue((after, run));
    }

    private sealed class Continuation(Action run) : IThreadPoolWorkItem
    {
        public void Execute() => run();
    }
}
