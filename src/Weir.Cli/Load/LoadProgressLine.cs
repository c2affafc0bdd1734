using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary>The line of progress of a test. One notice at a time.</summary>
/// <param name="options">What is sent.</param>
/// <param name="width">How many columns there are; with few, fields are left out.</param>
/// <param name="show">Shows the line.</param>
internal sealed class LoadProgressLine(LoadOptions options, Func<int> width, Action<string> show) : IProgress<LoadProgress>
{
    private LoadProgress _last;

    public void Report(LoadProgress value)
    {
        var seconds = (value.Elapsed - _last.Elapsed).TotalSeconds;
        var rate = seconds > 0 ? (value.Requests - _last.Requests) / seconds : 0;
        var bytes = seconds > 0 ? (value.BytesReceived - _last.BytesReceived) / seconds : 0;
        _last = value;
        var line = new FittedLine()
            .Add(1, options.Requests is { } all ? Text($"{value.Requests:N0}/{all:N0} requests") : Text($"{value.Requests:N0} requests"))
            .Add(4, Text($"{rate:N0} requests/s"))
            .Add(5, Text($"{bytes / 1e6:0.0} MB/s"))
            .Add(2, Text($"{value.Errors:N0} {(value.Errors == 1 ? "error" : "errors")}"));
        if (Left(value, rate) is { } left)
        {
            line.Add(3, $"{Durations.Waiting(left)} left");
        }

        show(line.Fit(width()));
    }

    private TimeSpan? Left(LoadProgress now, double rate)
    {
        if (options.Requests is { } all)
        {
            return rate > 0 ? TimeSpan.FromSeconds(Math.Min((all - now.Requests) / rate, TimeSpan.FromDays(1000).TotalSeconds)) : null;
        }

        var left = (options.Duration ?? TimeSpan.FromSeconds(10)) - now.Elapsed;
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
