using System.CommandLine;
using System.Globalization;
using Spectre.Console;
using Weir.Lab.Reporting;

namespace Weir.Lab.Commands;

/// <summary><c>lab compare A.json B.json</c>: exit code 1 when a promise that held in A does not hold in B.</summary>
internal static class CompareCommand
{
    public static Command Create()
    {
        var before = new Argument<FileInfo>("A") { Description = "The run to compare with." }.AcceptExistingOnly();
        var after = new Argument<FileInfo>("B") { Description = "The run that is looked at." }.AcceptExistingOnly();
        var command = new Command("compare", "Shows what changed between two runs by more than the machine can tell apart.") { before, after };
        command.SetAction(parsed => Compare(parsed.GetRequiredValue(before), parsed.GetRequiredValue(after)));
        return command;
    }

    private static int Compare(FileInfo before, FileInfo after)
    {
        var comparison = new Comparison(ReportFile.Read(before.FullName), ReportFile.Read(after.FullName));
        var table = new Table { Border = TableBorder.Simple };
        table.AddColumns("experiment", "case", "contender", "metric", "A", "B", "B ÷ A", "");
        foreach (var change in comparison.Changes)
        {
            table.AddRow(new[]
            {
                change.Experiment, change.Before.Case, change.Before.Contender, Figures.Head(change.Before.Metric, change.Before.Unit),
                Figures.Text(change.Before.Value), Figures.Text(change.After.Value), Figures.Text(change.Factor),
                change.Overlaps ? "rounds overlap" : "",
            }.Select(Markup.Escape).ToArray());
        }

        LabConsole.Create().Write(table);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{comparison.Changes.Count} rows differ by more than the resolution of {comparison.Resolution:P1}"));
        foreach (var promise in comparison.Disagreeing)
            Console.WriteLine($"the runs disagree: {promise.Experiment}: {promise.Before.Text}: {Figures.Text(promise.Before.Value ?? 0)} and {Figures.Text(promise.After.Value ?? 0)}");
        foreach (var promise in comparison.Broken)
            Console.WriteLine($"holds no more: {promise.Experiment}: {promise.Before.Text}: {(promise.After.Value is { } value ? Figures.Text(value) : "not measured")}");
        return comparison.Broken.Any() ? 1 : 0;
    }
}
