using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public sealed class SpinTokensTests
{
    private readonly SpinTokens _tokens = new(2);

    [Fact]
    public void So_many_poll_and_no_more()
    {
        var (first, second, third) = (new Spinner(), new Spinner(), new Spinner());
        Assert.True(_tokens.TryTake(first));
        Assert.True(_tokens.TryTake(second));
        Assert.False(_tokens.TryTake(third));
        Assert.Equal((true, true, false), (first.IsAllowed, second.IsAllowed, third.IsAllowed));
    }

    [Fact]
    public void Who_has_nothing_to_do_gives_way()
    {
        var (idle, busy, third) = (new Spinner(), new Spinner(), new Spinner());
        _tokens.TryTake(idle);
        _tokens.TryTake(busy);
        idle.IsBusy = false;
        Assert.True(_tokens.TryTake(third));
        Assert.Equal((false, true, true), (idle.IsAllowed, busy.IsAllowed, third.IsAllowed));

        // It is busy again, and there is nobody to give way.
        idle.IsBusy = true;
        Assert.False(_tokens.TryTake(idle));
    }

    [Fact]
    public void What_is_given_back_is_free()
    {
        var (first, second, third) = (new Spinner(), new Spinner(), new Spinner());
        _tokens.TryTake(first);
        _tokens.TryTake(second);
        _tokens.Return(first);
        Assert.True(_tokens.TryTake(third));

        // Who never held one returns nothing.
        _tokens.Return(first);
        Assert.False(_tokens.TryTake(first));
    }

    private sealed class Spinner : ISpinner
    {
        public bool IsBusy { get; set; } = true;

        public bool IsAllowed { get; private set; }

        public void AllowSpin(bool isAllowed) => IsAllowed = isAllowed;
    }
}
