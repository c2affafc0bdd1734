using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>What a whole fetch did.</summary>
internal sealed record FetchSummary
{
    /// <summary>Answers from 200 to 299 that were read to their end.</summary>
    public required long Succeeded { get; init; }

    /// <summary>The other outcomes.</summary>
    public required long Failed { get; init; }

    /// <summary>URLs that an earlier run has done.</summary>
    public long DoneBefore { get; init; }

    /// <summary>Bytes of bodies.</summary>
    public long Bytes { get; init; }

    /// <summary>How long it took.</summary>
    public TimeSpan Elapsed { get; init; }

    /// <summary>The median of the times of the requests, in milliseconds.</summary>
    public double? P50 { get; init; }

    /// <summary>The time that 99 of 100 requests do not exceed, in milliseconds.</summary>
    public double? P99 { get; init; }

    /// <summary>One line.</summary>
    public override string ToString()
    {
        var rate = Elapsed > TimeSpan.Zero ? (Succeeded + Failed) / Elapsed.TotalSeconds : 0;
        var before = DoneBefore > 0 ? Text($", {DoneBefore:N0} done before") : "";
        var times = P50 is { } p50 && P99 is { } p99 ? $", p50 {Durations.Milliseconds(p50)}, p99 {Durations.Milliseconds(p99)}" : "";
        return Text($"{Succeeded:N0} fetched, {Failed:N0} failed{before}; {Bytes / 1e6:0.0} MB in {Elapsed.TotalSeconds:0.0} s: {rate:N0} requests/s{times}");
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
