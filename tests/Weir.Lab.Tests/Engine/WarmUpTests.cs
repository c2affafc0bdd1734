using Weir.Lab.Engine;
using Weir.Tests;

namespace Weir.Lab.Tests.Engine;

public sealed class WarmUpTests
{
    private readonly List<string> _log = [];
    private readonly ManualTime _time = new();

    // When each warm-up run, and each measured round, began and ended.
    private readonly List<(TimeSpan Began, TimeSpan Ended)> _runs = [];

    [Fact]
    public async Task Without_a_time_it_is_one_run_and_no_pause()
    {
        await RunAsync(TimeSpan.Zero, Taking("a", 0.4));
        Assert.Equal(1, WarmUps("a"));
        Assert.Equal(TimeSpan.FromSeconds(0.4), Now);
    }

    [Theory]
    [InlineData(0.3, 5)]
    [InlineData(0.5, 3)]
    [InlineData(1.4, 2)]
    public async Task It_is_repeated_until_that_much_time_was_spent_in_it(double seconds, int runs)
    {
        await RunAsync(TimeSpan.FromSeconds(1.5), Taking("a", seconds));
        Assert.Equal(runs, WarmUps("a"));
    }

    [Fact]
    public async Task Even_a_long_one_is_run_twice()
    {
        await RunAsync(TimeSpan.FromSeconds(1.5), Taking("a", 10));
        Assert.Equal(2, WarmUps("a"));
    }

    [Fact]
    public async Task Every_run_is_followed_by_a_pause_in_which_hot_methods_are_compiled_again()
    {
        await RunAsync(TimeSpan.FromSeconds(1), Taking("a", 0.5));
        Assert.Equal(3, _runs.Count); // the last is the measured round
        Assert.All(_runs.Zip(_runs.Skip(1)), pair => Assert.True(pair.Second.Began - pair.First.Ended >= TimeSpan.FromMilliseconds(150)));
    }

    [Fact]
    public async Task It_is_not_repeated_once_the_patience_of_the_case_is_over()
    {
        await RunAsync(TimeSpan.FromSeconds(1000), Taking("a", 20));
        Assert.InRange(Now.TotalSeconds, 120, 141);
    }

    [Fact]
    public async Task What_takes_no_time_that_counts_is_repeated_eight_times()
    {
        await RunAsync(TimeSpan.FromSeconds(1), Taking("a", 0));
        Assert.Equal(8, WarmUps("a"));
    }

    [Fact]
    public async Task A_contender_is_warm_before_the_next_one_begins()
    {
        await RunAsync(TimeSpan.FromSeconds(1), Taking("a", 0.5), Taking("b", 0.5));
        Assert.Equal(["a warms up", "a warms up", "b warms up", "b warms up"], _log.Where(entry => entry.EndsWith("warms up", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Who_cannot_be_warmed_is_left_alone()
    {
        await RunAsync(TimeSpan.FromSeconds(1), new RecordingContender("a", _log) { CanBeWarmed = false });
        Assert.Equal(0, WarmUps("a"));
        Assert.Equal(TimeSpan.Zero, Now);
    }

    [Fact]
    public async Task Who_breaks_in_it_is_out()
    {
        var result = await RunAsync(TimeSpan.FromSeconds(1), new RecordingContender("a", _log) { OnWarmUp = () => throw new InvalidOperationException("too hot") });
        Assert.Equal("warms up, 1: too hot", Assert.Single(result.Failed).Reason);
        Assert.Equal(1, WarmUps("a"));
    }

    private TimeSpan Now => new(_time.GetTimestamp());

    private int WarmUps(string name) => _log.Count(entry => entry == $"{name} warms up");

    private RecordingContender Taking(string name, double seconds)
    {
        return new RecordingContender(name, _log)
        {
            OnWarmUp = () => Pass(seconds),
            OnRun = _ => Pass(0),
        };

        Task Pass(double taken)
        {
            var began = Now;
            _time.Advance(TimeSpan.FromSeconds(taken));
            _runs.Add((began, Now));
            return Task.CompletedTask;
        }
    }

    private async Task<CaseResult> RunAsync(TimeSpan warmFor, params Contender[] contenders)
    {
        var run = new RoundScheduler(_time, new SilentObserver()).RunAsync(new Case("case", contenders) { Rounds = 1, WarmFor = warmFor }, CancellationToken.None);
        while (!run.IsCompleted)
        {
            _time.Advance(TimeSpan.FromMilliseconds(1));
            await Task.Yield();
        }

        return await run;
    }
}
