using Weir.Http.FanOut;
using Weir.Tests;

namespace Weir.Http.Tests;

/// <summary>When the time of a request is over.</summary>
public sealed class RequestTokensTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly CancellationTokenSource _stopping = new();

    private RequestTokens Tokens => field ??= new RequestTokens(TimeSpan.FromSeconds(64), _time, _stopping.Token);

    public void Dispose() => _stopping.Dispose();

    [Fact]
    public void A_single_request_has_exactly_its_time()
    {
        var token = Tokens.For(_time.GetTimestamp());
        _time.Advance(TimeSpan.FromSeconds(63.9));
        Assert.False(token.IsCancellationRequested);
        _time.Advance(TimeSpan.FromSeconds(0.1));
        Assert.True(token.IsCancellationRequested);
    }

    [Fact]
    public void Requests_sent_shortly_after_each_other_share_a_token_that_no_one_of_them_has_too_short()
    {
        var first = Tokens.For(_time.GetTimestamp());
        _time.Advance(TimeSpan.FromSeconds(0.4));
        Assert.Equal(first, Tokens.For(_time.GetTimestamp()));
        _time.Advance(TimeSpan.FromSeconds(0.5));
        Assert.Equal(first, Tokens.For(_time.GetTimestamp()));
        _time.Advance(TimeSpan.FromSeconds(63.9));
        Assert.False(first.IsCancellationRequested);
        _time.Advance(TimeSpan.FromSeconds(0.2));
        Assert.True(first.IsCancellationRequested);
    }

    [Fact]
    public void A_later_request_has_a_time_of_its_own()
    {
        var first = Tokens.For(_time.GetTimestamp());
        _time.Advance(TimeSpan.FromSeconds(1));
        var second = Tokens.For(_time.GetTimestamp());
        _time.Advance(TimeSpan.FromSeconds(63));
        Assert.True(first.IsCancellationRequested);
        Assert.False(second.IsCancellationRequested);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(second.IsCancellationRequested);
        Assert.False(Tokens.For(_time.GetTimestamp()).IsCancellationRequested);
    }

    [Fact]
    public void The_end_of_the_fan_out_fires_all_of_them_and_later_ones()
    {
        var first = Tokens.For(_time.GetTimestamp());
        _time.Advance(TimeSpan.FromSeconds(2));
        var second = Tokens.For(_time.GetTimestamp());
        _stopping.Cancel();
        Tokens.Cancel();
        Assert.True(first.IsCancellationRequested && second.IsCancellationRequested && Tokens.For(_time.GetTimestamp()).IsCancellationRequested);
    }

    [Fact]
    public void A_callback_that_throws_keeps_no_token_from_firing()
    {
        var first = Tokens.For(_time.GetTimestamp());
        using var registration = first.Register(static () => throw new InvalidOperationException("first"));
        _time.Advance(TimeSpan.FromSeconds(2));
        var second = Tokens.For(_time.GetTimestamp());
        using var other = second.Register(static () => throw new InvalidOperationException("second"));
        _time.Advance(TimeSpan.FromSeconds(2));
        var third = Tokens.For(_time.GetTimestamp());
        _stopping.Cancel();
        Assert.Equal(["first", "second"], Assert.Throws<AggregateException>(Tokens.Cancel).InnerExceptions.Select(static one => one.Message));
        Assert.True(first.IsCancellationRequested && second.IsCancellationRequested && third.IsCancellationRequested);
    }

    [Fact]
    public void Without_a_limit_the_time_is_never_over()
    {
        Assert.Equal(_stopping.Token, new RequestTokens(Timeout.InfiniteTimeSpan, _time, _stopping.Token).For(_time.GetTimestamp()));
        Assert.Equal(0, _time.ActiveTimers);
    }
}
