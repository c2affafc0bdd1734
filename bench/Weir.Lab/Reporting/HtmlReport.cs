using System.Globalization;
using System.Net;
using System.Text;
using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>A run as one page that needs nothing else: every figure lies on a bar of its length, timelines are drawn.</summary>
internal static class HtmlReport
{
    private const string Style = """
        body{font:14px/1.4 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1c2430;background:#fff}
        pre{background:#f2f4f7;padding:.8rem;overflow:auto}table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}
        th,td{padding:.25rem .6rem;text-align:left;border-bottom:1px solid #dde2e8;white-space:nowrap}td.n{text-align:right}
        tr.weir td:nth-child(2){font-weight:600}.holds{color:#187a3c}.broken{color:#b3261e;font-weight:600}.note{color:#5a6675}
        @media(prefers-color-scheme:dark){body{background:#12161c;color:#dfe5ec}pre{background:#1c222b}th,td{border-color:#2b333e}}
        """;

    public static string Text(RunReport report)
    {
        var page = new StringBuilder();
        page.Append(CultureInfo.InvariantCulture, $"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Weir's lab</title><style>{Style}</style><h1>Weir's lab</h1><pre>{Safe(RunHead.Text(report))}</pre>\n");
        foreach (var experiment in report.Experiments)
            Experiment(page, experiment);
        return page.Append("</html>\n").ToString();
    }

    private static void Experiment(StringBuilder page, ExperimentReport experiment)
    {
        page.Append(CultureInfo.InvariantCulture, $"<h2>{Safe(experiment.Name)}</h2><p>{Safe(experiment.Question)}</p>\n<ul>");
        foreach (var promise in experiment.Promises)
        {
            page.Append(CultureInfo.InvariantCulture,
                $"<li class=\"{(promise.Holds ? "holds" : "broken")}\">{Safe(promise.Text)}: {Safe(PromiseText.Measured(promise))} {Safe(PromiseText.Limit(promise))}{(promise.Close ? " ≈" : "")}</li>");
        }

        page.Append("</ul>\n");
        foreach (var pivot in Pivot.Split(experiment.Rows))
            Table(page, pivot, experiment.Rows);
        foreach (var timeline in experiment.Timelines)
            page.Append(CultureInfo.InvariantCulture, $"<figure><figcaption>Processes of {Safe(timeline.Contender)}, {Safe(timeline.Case)}</figcaption>{TimelineDrawing.Svg(timeline.Events)}</figure>\n");
        Notes(page, "quick leaves out", experiment.LeftOut is null ? [] : [experiment.LeftOut]);
        Notes(page, "missing", experiment.Missing.Select(item => $"{item.Contender}: {item.Install}"));
        Notes(page, "later", experiment.Later.Select(item => $"{item.Contender}: {item.Why}"));
        Notes(page, "failed", experiment.Failed.Select(item => $"{item.Contender} ({item.Case}): {item.Error}"));
    }

    private static void Table(StringBuilder page, Pivot pivot, IReadOnlyList<Row> rows)
    {
        page.Append("<table><tr><th>case<th>contender");
        foreach (var head in pivot.Heads)
            page.Append(CultureInfo.InvariantCulture, $"<th>{Safe(head)}");
        var previous = "";
        foreach (var line in pivot.Lines)
        {
            var isWeir = line.Contender.StartsWith("weir", StringComparison.Ordinal);
            page.Append(CultureInfo.InvariantCulture, $"<tr{(isWeir ? " class=\"weir\"" : "")}><td>{(line.Case == previous ? "" : Safe(line.Case))}<td>{Safe(line.Contender)}");
            foreach (var head in pivot.Heads)
                page.Append(CultureInfo.InvariantCulture, $"<td class=\"n\"{Bar(rows, line, head, isWeir)}>{Safe(pivot.Cell(line, head))}");
            previous = line.Case;
        }

        page.Append("</table>\n");
    }

    // As long as the value beside the largest of its case.
    private static string Bar(IReadOnlyList<Row> rows, (string Case, string Contender) line, string head, bool isWeir)
    {
        var column = rows.Where(row => row.Case == line.Case && Figures.Head(row.Metric, row.Unit) == head).ToArray();
        if (column.FirstOrDefault(row => row.Contender == line.Contender) is not { Value: > 0 } own)
            return "";

        var share = 100 * own.Value / column.Max(row => row.Value);
        return string.Create(
            CultureInfo.InvariantCulture,
            $" style=\"background:linear-gradient(90deg,{(isWeir ? "#4c8dff55" : "#8a94a333")} {share:0.#}%,transparent {share:0.#}%)\"");
    }

    private static void Notes(StringBuilder page, string kind, IEnumerable<string> notes)
    {
        foreach (var note in notes)
            page.Append(CultureInfo.InvariantCulture, $"<p class=\"note\">{kind} {Safe(note)}</p>\n");
    }

    private static string Safe(string text) => WebUtility.HtmlEncode(text);
}
