using System.Globalization;

namespace Weir.Lab.Reporting;

/// <summary>What a comparison says about experiments and promises, line by line.</summary>
internal static class ComparisonText
{
    public static IEnumerable<string> Lines(Comparison comparison)
    {
        yield return string.Create(CultureInfo.InvariantCulture, $"{comparison.Changes.Count} rows differ by more than the resolution of {comparison.Resolution:P1}");
        foreach (var name in comparison.OnlyBefore)
            yield return $"only in A: {name}";
        foreach (var name in comparison.OnlyAfter)
            yield return $"only in B: {name}";
        foreach (var promise in comparison.Promises.Where(promise => promise.IsMeasuredBefore != promise.IsMeasuredAfter))
            yield return $"measured only in {(promise.IsMeasuredBefore ? "A" : "B")}: {Both(promise)}";
        foreach (var promise in comparison.Disagreeing)
            yield return $"the runs disagree: {Both(promise)}";
        foreach (var promise in comparison.Broken)
            yield return $"holds no more: {Both(promise)}{(promise.After!.Close || promise.Before!.Close ? ", ≈ too close to the limit to tell" : "")}";
        yield return Summary(comparison);
    }

    private static string Summary(Comparison comparison)
    {
        var ratios = comparison.Ratios.ToArray();
        var both = ratios.Count(ratio => ratio.IsMeasuredBefore && ratio.IsMeasuredAfter);
        var one = ratios.Count(ratio => ratio.IsMeasuredBefore != ratio.IsMeasuredAfter);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{ratios.Length} ratios carry a promise, {comparison.Disagreeing.Count()} disagree; {both} were measured in both runs, {one} in one only, {ratios.Length - both - one} in neither");
    }

    private static string Both(PromiseChange promise) =>
        $"{promise.Experiment}: {promise.Text}: {Measured(promise.Before)} in A, {Measured(promise.After)} in B, {PromiseText.Limit((promise.After ?? promise.Before)!)}";

    private static string Measured(PromiseReport? promise) => promise is null ? "not there" : PromiseText.Measured(promise);
}
