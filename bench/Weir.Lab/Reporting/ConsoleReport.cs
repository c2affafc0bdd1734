using System.Globalization;
using Spectre.Console;

namespace Weir.Lab.Reporting;

/// <summary>Prints experiments as tables, and a run's promises at its end.</summary>
internal sealed class ConsoleReport(IAnsiConsole console)
{
    public void Print(ExperimentReport report)
    {
        console.WriteLine();
        console.MarkupLineInterpolated($"[bold]{report.Name}[/]  {report.Question}");
        foreach (var pivot in Pivot.Split(report.Rows))
            Print(pivot);
        if (report.LeftOut is not null)
            console.MarkupLineInterpolated($"[grey]quick[/]   leaves out {report.LeftOut}");
        foreach (var item in report.Missing)
            console.MarkupLineInterpolated($"[yellow]missing[/] {item.Contender}: {item.Install}");
        foreach (var item in report.Later)
            console.MarkupLineInterpolated($"[grey]later[/]   {item.Contender}: {item.Why}");
        foreach (var item in report.Failed)
            console.MarkupLineInterpolated($"[red]failed[/]  {item.Contender} ({item.Case}): {item.Error}");
        foreach (var promise in report.Promises)
            Print(promise);
    }

    /// <summary>How many promises hold, and which do not.</summary>
    public void PrintVerdict(RunReport report)
    {
        var promises = report.Experiments.SelectMany(experiment => experiment.Promises).ToArray();
        var broken = promises.Count(promise => !promise.Holds);
        var failed = report.Experiments.Sum(experiment => experiment.Failed.Count);
        console.WriteLine();
        console.WriteLine($"{promises.Length - broken} of {promises.Length} promises hold; {failed} contenders failed.");
        console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"resolution {report.Resolution:P1}, load after {report.LoadAfter:0.00}"));
    }

    private void Print(Pivot pivot)
    {
        var table = new Table { Border = TableBorder.Simple };
        table.AddColumn("case").AddColumn("contender");
        foreach (var head in pivot.Heads)
            table.AddColumn(new TableColumn(Markup.Escape(head)).RightAligned());

        var previous = "";
        foreach (var line in pivot.Lines)
        {
            var cells = pivot.Heads.Select(head => pivot.Cell(line, head));
            table.AddRow([.. new[] { line.Case == previous ? "" : line.Case, line.Contender }.Concat(cells).Select(cell => new Text(cell))]);
            previous = line.Case;
        }

        console.Write(table);
    }

    private void Print(PromiseReport promise)
    {
        var verdict = promise.Holds ? "[green]holds[/]" : "[red]does not hold[/]";
        var near = promise.Close ? " ≈ too close to the limit to tell" : "";
        console.MarkupLine($"{verdict}  {Markup.Escape($"{promise.Text}: {PromiseText.Measured(promise)} {PromiseText.Limit(promise)}{near}")}");
    }
}
