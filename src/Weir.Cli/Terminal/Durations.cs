using System.Globalization;

namespace Weir.Cli.Terminal;

/// <summary>Times as they are typed and shown.</summary>
internal static class Durations
{
    private static readonly (string Unit, double Seconds)[] Units = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)];

    /// <summary>A number and its unit: <c>500ms</c>, <c>10s</c>, <c>1.5m</c>, <c>1h</c>. More than nothing.</summary>
    public static bool TryParse(string text, out TimeSpan time)
    {
        foreach (var (unit, seconds) in Units)
        {
            if (text.EndsWith(unit, StringComparison.Ordinal)
                && double.TryParse(text.AsSpan(0, text.Length - unit.Length), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number)
                && number * seconds is >= 0.001 and <= 1e9)
            {
                time = TimeSpan.FromSeconds(number * seconds);
                return true;
            }
        }

        time = default;
        return false;
    }

    /// <summary>With three digits: <c>0.26 ms</c>, <c>12.3 ms</c>, <c>2.5 s</c>.</summary>
    public static string Milliseconds(double milliseconds) =>
        milliseconds >= 10_000 ? Invariant($"{milliseconds / 1000:0.0} s")
        : milliseconds >= 1000 ? Invariant($"{milliseconds / 1000:0.00} s")
        : milliseconds >= 100 ? Invariant($"{milliseconds:0} ms")
        : milliseconds >= 10 ? Invariant($"{milliseconds:0.0} ms")
        : Invariant($"{milliseconds:0.00} ms");

    /// <summary>Whole seconds for a person who waits: <c>16 s</c>, <c>2 min 5 s</c>, <c>3 h 20 min</c>.</summary>
    public static string Waiting(TimeSpan time)
    {
        var seconds = (long)Math.Ceiling(time.TotalSeconds);
        return seconds < 60 ? Invariant($"{seconds} s")
            : seconds < 3600 ? Invariant($"{seconds / 60} min {seconds % 60} s")
            : Invariant($"{seconds / 3600} h {seconds % 3600 / 60} min");
    }

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
