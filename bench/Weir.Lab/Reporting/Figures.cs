using System.Globalization;

namespace Weir.Lab.Reporting;

/// <summary>Numbers as a person reads them: three or four digits, no more than the measuring is worth.</summary>
internal static class Figures
{
    public static string Text(double value)
    {
        if (double.IsNaN(value) || double.IsInfinity(value))
            return "–";

        var size = Math.Abs(value);
        var format = size switch
        {
            < 1000 when value == Math.Round(value) => "0",
            >= 1000 => "#,0",
            >= 100 => "0",
            >= 10 => "0.0",
            >= 0.1 => "0.00",
            _ => "0.####",
        };
        return Rounded(value, size).ToString(format, CultureInfo.InvariantCulture);
    }

    /// <summary>The value, and its spread where it has one.</summary>
    public static string WithSpread(double value, double low, double high) =>
        low == high ? Text(value) : $"{Text(value)} ({Text(low)}–{Text(high)})";

    /// <summary>A unit as it stands in the head of a column.</summary>
    public static string Head(string metric, string unit) => unit is "" or "1/s" ? metric : $"{metric}, {unit}";

    // Above a thousand, the fourth digit is the last that counts.
    private static double Rounded(double value, double size)
    {
        if (size < 10_000)
            return value;

        var unit = Math.Pow(10, Math.Floor(Math.Log10(size)) - 3);
        return Math.Round(value / unit) * unit;
    }
}
