using System.Globalization;

namespace Weir.Lab.Reporting;

/// <summary>What was measured of a promise, as a person reads it.</summary>
internal static class PromiseText
{
    /// <summary>The value, the range of its rounds, and what a ratio can tell apart: <c>0.68 (0.65–0.74) ± 7.0 %</c>.</summary>
    public static string Measured(PromiseReport promise)
    {
        if (promise.Value is not { } value)
            return "not measured";

        var text = Figures.WithSpread(value, promise.Low ?? value, promise.High ?? value);
        return promise.Resolution switch
        {
            null => text,
            > 1 => $"{text} ± over 100 %",
            { } resolution => string.Create(CultureInfo.InvariantCulture, $"{text} ± {resolution:P1}"),
        };
    }

    /// <summary>What it was measured against.</summary>
    public static string Limit(PromiseReport promise) => $"{promise.Relation} {Figures.Text(promise.Limit)}";
}
