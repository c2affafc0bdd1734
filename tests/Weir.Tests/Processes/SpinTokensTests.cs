using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public sealed class SpinTokensTests
{
    private readonly SpinTokens _tokens = new(most: 2, mostAwaited: 1);

    [Fact]
    public void So_many_poll_and_no_more()
    {
        var (first, second, third) = (new Spinner(), new Spinner(), new Spinner());
        Assert.True(_tokens.TryTake(first, false));
        Assert.True(_tokens.TryTake(second, false));
        Assert.False(_tokens.TryTake(third, false));
        Assert.Equal((true, true, false), (first.IsAllowed, second.IsAllowed, third.IsAllowed));
    }

    [Fact]
    public void Who_has_nothing_to_do_gives_way()
    {
        var (idle, busy, third) = (new Spinner(), new Spinner(), new Spinner());
        _tokens.TryTake(idle, false);
        _tokens.TryTake(busy, false);
        idle.IsBusy = false;
        Assert.True(_tokens.TryTake(third, false));
        Assert.Equal((false, true, true), (idle.IsAllowed, busy.IsAllowed, third.IsAllowed));

        // It is busy again, and there is nobody to give way.
        idle.IsBusy = true;
        Assert.False(_tokens.TryTake(idle, false));
    }

    [Fact]
    public void What_is_given_back_is_free()
    {
        var (first, second, third) = (new Spinner(), new Spinner(), new Spinner());
        _tokens.TryTake(first, false);
        _tokens.TryTake(second, false);
        _tokens.Return(first);
        Assert.True(_tokens.TryTake(third, false));

        // Who never held one returns nothing.
        _tokens.Return(first);
        Assert.False(_tokens.TryTake(first, false));
    }

    [Fact]
    public void Who_gives_it_back_polls_no_more()
    {
        var spinner = new Spinner();
        _tokens.TryTake(spinner, false);
        _tokens.Return(spinner);
        Assert.False(spinner.IsAllowed);
    }

    [Fact]
    public void Awaited_calls_leave_a_processor_to_the_thread_pool()
    {
        var (first, second) = (new Spinner(), new Spinner());
        Assert.True(_tokens.TryTake(first, true));
        Assert.False(_tokens.TryTake(second, true));
        Assert.True(_tokens.TryTake(second, false));
    }

    [Theory]
    [InlineData(1, false, false)]
    [InlineData(2, true, false)]
    [InlineData(3, true, true)]
    public void A_machine_has_tokens_for_which_it_has_processors(int processors, bool forOwnThreads, bool forAwaited)
    {
        var tokens = SpinTokens.For(processors);
        Assert.Equal((forOwnThreads, forAwaited), (tokens.HasAny(false), tokens.HasAny(true)));
        Assert.Equal((forOwnThreads, forAwaited), (tokens.TryTake(new Spinner(), false), SpinTokens.For(processors).TryTake(new Spinner(), true)));
    }

    private sealed class Spinner : ISpinner
    {
        public bool IsBusy { get; set; } = true;

        public bool IsAllowed { get; private set; }

        public void AllowSpin(bool isAllowed) => IsAllowed = isAllowed;
    }
}
