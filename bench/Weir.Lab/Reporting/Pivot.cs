using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>Rows as a person wants them: one line per case and contender, one column per metric.</summary>
internal sealed class Pivot
{
    private readonly Dictionary<(string Case, string Contender, string Head), string> _cells = [];

    public Pivot(IReadOnlyList<Row> rows)
    {
        foreach (var row in rows)
            _cells[(row.Case, row.Contender, Figures.Head(row.Metric, row.Unit))] = Figures.WithSpread(row.Value, row.Low, row.High);
        Heads = [.. rows.Select(row => Figures.Head(row.Metric, row.Unit)).Distinct()];
        Lines = [.. rows.Select(row => (row.Case, row.Contender)).Distinct()];
    }

    /// <summary>Tables of neighbouring cases that have a metric in common: others side by side would be mostly empty.</summary>
    public static IReadOnlyList<Pivot> Split(IReadOnlyList<Row> rows)
    {
        var tables = new List<List<Row>>();
        foreach (var @case in rows.GroupBy(row => row.Case))
        {
            if (tables.Count > 0 && tables[^1].Select(row => row.Metric).Intersect(@case.Select(row => row.Metric)).Any())
                tables[^1].AddRange(@case);
            else
                tables.Add([.. @case]);
        }

        return [.. tables.Select(table => new Pivot(table))];
    }

    public IReadOnlyList<string> Heads { get; }

    public IReadOnlyList<(string Case, string Contender)> Lines { get; }

    /// <summary>Empty when the contender does not have that metric.</summary>
    public string Cell((string Case, string Contender) line, string head) =>
        _cells.GetValueOrDefault((line.Case, line.Contender, head), "");
}
