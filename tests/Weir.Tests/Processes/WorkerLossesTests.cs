using Weir.Execution.Pools.Core;

namespace Weir.Tests.Processes;

public sealed class WorkerLossesTests
{
    private readonly ManualTime _time = new();
    private readonly WorkerLosses _losses;

    public WorkerLossesTests() => _losses = new WorkerLosses(_time);

    [Fact]
    public void Losses_of_the_last_minute_are_counted()
    {
        Assert.Equal((0, null, null), _losses.Read());
        for (var second = 0; second < 90; second += 10)
        {
            _losses.Lost("exit code 3", $"p-{second}");
            _time.Advance(TimeSpan.FromSeconds(10));
        }

        // The last of them was 10 s ago.
        Assert.Equal((5, "exit code 3 (crash report p-80)", null), _losses.Read());
        _time.Advance(TimeSpan.FromSeconds(49));
        Assert.Equal(1, _losses.Read().Count);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((0, null, null), _losses.Read());
    }

    [Fact]
    public void A_long_pause_forgets_everything()
    {
        _losses.Lost("exit code 3", "p-1");
        _time.Advance(TimeSpan.FromDays(30));
        _losses.Lost("exit code 4", "p-2");
        Assert.Equal((1, "exit code 4 (crash report p-2)", null), _losses.Read());
    }

    [Fact]
    public void The_last_start_that_failed_counts_until_one_succeeds()
    {
        _losses.StartFailed("no model here");
        _time.Advance(TimeSpan.FromDays(1));
        Assert.Equal("no model here", _losses.Read().LastStartFailure);
        _losses.Started();
        Assert.Null(_losses.Read().LastStartFailure);
    }
}
