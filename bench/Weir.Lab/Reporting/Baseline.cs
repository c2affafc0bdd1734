using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>Weir beside the best other contender and beside the floor, metric by metric: what the next change is compared with.</summary>
internal static class Baseline
{
    // More is better in rates, less in everything else that has a unit; counts have none and are not compared.
    private const string Rate = "1/s";

    public static IEnumerable<Line> Of(ExperimentReport experiment) =>
        from metric in experiment.Rows.GroupBy(row => (row.Case, row.Metric, row.Unit))
        where metric.Key.Unit.Length > 0 && metric.Key.Unit != "%"
        let best = Best(metric.Where(IsOther), metric.Key.Unit)
        let floor = Best(metric.Where(row => row.Contender.StartsWith("floor", StringComparison.Ordinal)), metric.Key.Unit)
        from weir in metric.Where(IsWeir)
        where best is not null || floor is not null
        select new Line(weir, best, floor);

    private static bool IsWeir(Row row) => row.Contender.StartsWith("weir", StringComparison.Ordinal);

    private static bool IsOther(Row row) =>
        !IsWeir(row) && !row.Contender.StartsWith("floor", StringComparison.Ordinal) && !row.IsPublished;

    private static Row? Best(IEnumerable<Row> rows, string unit) =>
        unit == Rate ? rows.MaxBy(row => row.Value) : rows.MinBy(row => row.Value);

    /// <summary>One metric of one of Weir's contenders.</summary>
    internal sealed record Line(Row Weir, Row? Best, Row? Floor)
    {
        public double? ToBest => Weir.Value / Best?.Value;

        public double? ToFloor => Weir.Value / Floor?.Value;
    }
}
