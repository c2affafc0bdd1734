using Weir.Lab.Engine;
using Weir.Tests;

namespace Weir.Lab.Tests.Engine;

public sealed class ResolutionProbeTests
{
    private readonly List<string> _log = [];
    private readonly ManualTime _time = new();

    [Theory]
    [InlineData(Scale.Quick, 6)]
    [InlineData(Scale.Full, 11)]
    internal async Task Twins_take_turns_after_they_were_warmed_for_a_time(Scale scale, int rounds)
    {
        await MeasureAsync(scale, [100], [100]);
        Assert.Equal(rounds, _log.Count(entry => entry == "one runs"));
        Assert.Equal(rounds, _log.Count(entry => entry == "other runs"));
        Assert.Equal(3, _log.Count(entry => entry == "one warms up"));
        Assert.Equal(3, _log.Count(entry => entry == "other warms up"));
        Assert.Contains("one ends", _log);
    }

    [Fact]
    public async Task What_twins_differ_by_is_the_resolution() => Assert.Equal(0.25, await MeasureAsync(Scale.Quick, [125, 50], [100, 40]), 6);

    [Fact]
    public async Task A_twin_that_fails_leaves_nothing_to_go_by()
    {
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => PassingAsync(new ResolutionProbe(_time, Scale.Tiny, name => new RecordingContender(name, _log)
        {
            OnRun = _ => throw new InvalidDataException("5 of 5 requests failed."),
        }).MeasureAsync(CancellationToken.None)));
        Assert.Equal("What this machine can tell apart could not be measured: round 1 of 3: 5 of 5 requests failed.", failure.Message);
    }

    private Task<double> MeasureAsync(Scale scale, double[] one, double[] other) =>
        PassingAsync(new ResolutionProbe(_time, scale, name => new RecordingContender(name, _log)
        {
            Metric = "requests/s",
            Values = name == "one" ? one : other,
            OnWarmUp = () =>
            {
                _time.Advance(TimeSpan.FromSeconds(0.5));
                return Task.CompletedTask;
            },
        }).MeasureAsync(CancellationToken.None));

    private async Task<double> PassingAsync(Task<double> run)
    {
        while (!run.IsCompleted)
        {
            _time.Advance(TimeSpan.FromMilliseconds(10));
            await Task.Yield();
        }

        return await run;
    }
}
