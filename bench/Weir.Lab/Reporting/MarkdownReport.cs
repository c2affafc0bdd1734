using System.Globalization;
using System.Text;

namespace Weir.Lab.Reporting;

/// <summary>A run as a page for the repository.</summary>
internal static class MarkdownReport
{
    public static string Text(RunReport report, string title)
    {
        var page = new StringBuilder();
        page.Append(CultureInfo.InvariantCulture, $"# {title}\n\nWritten by `lab report` from a run of {report.Started:yyyy-MM-dd}; not by hand.\n\n```\n{RunHead.Text(report)}\n```\n");
        Promises(page, report);
        foreach (var experiment in report.Experiments)
            Experiment(page, experiment);
        Baselines(page, report);
        return page.ToString();
    }

    private static void Promises(StringBuilder page, RunReport report)
    {
        page.Append("\n## Promises\n\nIn brackets the range of the rounds, after ± what a ratio can tell apart. What is marked ≈ is too close to its limit to tell.\n\n");
        page.Append("| Experiment | Promise | Measured | Limit | |\n|---|---|---:|---:|---|\n");
        foreach (var experiment in report.Experiments)
        {
            foreach (var promise in experiment.Promises)
            {
                page.Append(CultureInfo.InvariantCulture,
                    $"| {experiment.Name} | {Cell(promise.Text)} | {PromiseText.Measured(promise)} | {Cell(PromiseText.Limit(promise))} | {(promise.Holds ? "holds" : "**does not hold**")}{(promise.Close ? " ≈" : "")} |\n");
            }
        }
    }

    private static void Experiment(StringBuilder page, ExperimentReport experiment)
    {
        page.Append(CultureInfo.InvariantCulture, $"\n## {experiment.Name}\n\n{experiment.Question}{(experiment.Document is null ? "" : $" (Document {experiment.Document}.)")}\n");
        foreach (var pivot in Pivot.Split(experiment.Rows))
            Table(page, pivot);
        foreach (var timeline in experiment.Timelines)
            page.Append(CultureInfo.InvariantCulture, $"\nProcesses of {timeline.Contender}, {timeline.Case}:\n\n```\n{TimelineChart.Text(timeline.Events)}```\n");
        if (experiment.Runtimes.Count > 0)
            page.Append(CultureInfo.InvariantCulture, $"\n{string.Join("; ", experiment.Runtimes.GroupBy(pair => pair.Value).Select(group => $"{group.Key}: {string.Join(", ", group.Select(pair => pair.Key))}"))}.\n");
        if (experiment.LeftOut is not null)
            page.Append(CultureInfo.InvariantCulture, $"\n- quick leaves out {experiment.LeftOut}\n");
        foreach (var item in experiment.Missing)
            page.Append(CultureInfo.InvariantCulture, $"\n- missing {item.Contender}: {item.Install}\n");
        foreach (var item in experiment.Later)
            page.Append(CultureInfo.InvariantCulture, $"\n- later {item.Contender}: {item.Why}\n");
        foreach (var item in experiment.Failed)
            page.Append(CultureInfo.InvariantCulture, $"\n- failed {item.Contender} ({item.Case}): `{item.Error.ReplaceLineEndings(" ").Replace('`', '\'')}`\n");
    }

    private static void Table(StringBuilder page, Pivot pivot)
    {
        page.Append(CultureInfo.InvariantCulture, $"\n| Case | Contender | {string.Join(" | ", pivot.Heads.Select(Cell))} |\n|---|---|{string.Concat(pivot.Heads.Select(_ => "---:|"))}\n");
        var previous = "";
        foreach (var line in pivot.Lines)
        {
            page.Append(CultureInfo.InvariantCulture,
                $"| {(line.Case == previous ? "" : Cell(line.Case))} | {Cell(line.Contender)} | {string.Join(" | ", pivot.Heads.Select(head => Cell(pivot.Cell(line, head))))} |\n");
            previous = line.Case;
        }
    }

    private static void Baselines(StringBuilder page, RunReport report)
    {
        page.Append("\n## Weir beside the others\n\nRates: more is better. Everything else: less is better. The best other may be one that isolates nothing.\n\n");
        page.Append("| Experiment | Case | Metric | Contender | Weir | ÷ best other | Best other | ÷ floor |\n|---|---|---|---|---:|---:|---|---:|\n");
        foreach (var experiment in report.Experiments)
        {
            foreach (var line in Baseline.Of(experiment))
            {
                page.Append(CultureInfo.InvariantCulture,
                    $"| {experiment.Name} | {Cell(line.Weir.Case)} | {Cell(Figures.Head(line.Weir.Metric, line.Weir.Unit))} | {line.Weir.Contender} | {Figures.Text(line.Weir.Value)} | {Factor(line.ToBest)} | {Cell(line.Best?.Contender ?? "")} | {Factor(line.ToFloor)} |\n");
            }
        }
    }

    private static string Factor(double? factor) => factor is { } value ? Figures.Text(value) : "";

    private static string Cell(string text) => text.Replace("|", "\\|", StringComparison.Ordinal).Replace("<", "&lt;", StringComparison.Ordinal);
}
