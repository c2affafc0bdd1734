using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>How far a fetch is.</summary>
internal sealed record FetchFigures
{
    /// <summary>URLs with an outcome, of this run and of those before.</summary>
    public required long Done { get; init; }

    /// <summary>URLs of the list; <c>null</c> if that is not known.</summary>
    public long? All { get; init; }

    /// <summary>Outcomes per second, of late.</summary>
    public double Rate { get; init; }

    /// <summary>Bytes of bodies per second, of late.</summary>
    public double BytesPerSecond { get; init; }

    /// <summary>Requests in flight.</summary>
    public long InFlight { get; init; }

    /// <summary>The median of the times of the requests, in milliseconds.</summary>
    public double? P50 { get; init; }

    /// <summary>The time that 99 of 100 requests do not exceed, in milliseconds.</summary>
    public double? P99 { get; init; }

    /// <summary>Outcomes without success.</summary>
    public long Failed { get; init; }

    /// <summary>The time that is left at the present rate.</summary>
    public TimeSpan? Left { get; init; }

    /// <summary>The line of progress.</summary>
    /// <param name="width">How many columns there are; with few, fields are left out.</param>
    public string Line(int width)
    {
        var line = new FittedLine()
            .Add(1, All is { } all ? Text($"{Done:N0}/{all:N0}") : Text($"{Done:N0} done"))
            .Add(4, Text($"{Rate:N0} requests/s"))
            .Add(6, Text($"{BytesPerSecond / 1e6:0.0} MB/s"))
            .Add(7, Text($"{InFlight} in flight"));
        if (P50 is { } p50 && P99 is { } p99)
        {
            line.Add(8, $"p50 {Durations.Milliseconds(p50)}");
            line.Add(5, $"p99 {Durations.Milliseconds(p99)}");
        }

        line.Add(2, Text($"{Failed:N0} {(Failed == 1 ? "error" : "errors")}"));
        if (Left is { } left)
        {
            line.Add(3, $"{Durations.Waiting(left)} left");
        }

        return line.Fit(width);
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
