using Weir.Lab.Engine;
using Weir.Tests;

namespace Weir.Lab.Tests.Engine;

public sealed class RunForecastTests
{
    private readonly ManualTime _time = new();

    [Fact]
    public void Before_anything_ran_the_estimates_count() => Assert.Equal(60, New().Left().TotalSeconds);

    [Fact]
    public void What_has_passed_is_taken_off()
    {
        var forecast = New();
        forecast.Next();
        _time.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(56, forecast.Left().TotalSeconds);
    }

    [Fact]
    public void Estimates_that_were_too_short_make_the_rest_longer()
    {
        var forecast = New();
        forecast.Next();
        _time.Advance(TimeSpan.FromSeconds(20));
        forecast.Next();
        Assert.Equal(100, forecast.Left().TotalSeconds, 3);
    }

    [Fact]
    public void An_experiment_that_overruns_never_makes_it_negative()
    {
        var forecast = New();
        forecast.Next();
        forecast.Next();
        forecast.Next();
        _time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(TimeSpan.Zero, forecast.Left());
    }

    private RunForecast New() => new(_time, [("a", TimeSpan.FromSeconds(10)), ("b", TimeSpan.FromSeconds(20)), ("c", TimeSpan.FromSeconds(30))]);
}
