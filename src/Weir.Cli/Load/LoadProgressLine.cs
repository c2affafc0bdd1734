using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary>The line of progress of a test. One notice at a time.</summary>
/// <param name="options">What is sent.</param>
/// <param name="show">Shows the line.</param>
internal sealed class LoadProgressLine(LoadOptions options, Action<string> show) : IProgress<LoadProgress>
{
    private LoadProgress _last;

    public void Report(LoadProgress value)
    {
        var seconds = (value.Elapsed - _last.Elapsed).TotalSeconds;
        var rate = seconds > 0 ? (value.Requests - _last.Requests) / seconds : 0;
        var bytes = seconds > 0 ? (value.BytesReceived - _last.BytesReceived) / seconds : 0;
        _last = value;
        var count = options.Requests is { } all ? Text($"{value.Requests:N0}/{all:N0} requests") : Text($"{value.Requests:N0} requests");
        var left = Left(value, rate) is { } time ? $"  {Durations.Waiting(time)} left" : "";
        show(Text($"{count}  {rate:N0} requests/s  {bytes / 1e6:0.0} MB/s  {value.Errors:N0} {(value.Errors == 1 ? "error" : "errors")}{left}"));
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
