using System.CommandLine;
using Spectre.Console;
using Weir.Lab.Reporting;

namespace Weir.Lab.Commands;

/// <summary><c>lab compare A.json B.json</c>: its exit code says whether the runs agree, and whether what held still holds.</summary>
internal static class CompareCommand
{
    // 1 is what a wrong command line, or a file that cannot be read, gives.
    private const int Agree = 0;
    private const int Disagree = 2;
    private const int Broken = 3;

    private const string Help = """
        Shows what changed between two runs by more than they can tell apart.

        Two runs disagree about a ratio when the ranges of their rounds do not meet and their values are farther apart than the
        coarser of the two resolutions stated with them.

        Exit code 0: the runs agree, and what held in A holds in B; 2: they disagree about a ratio; 3: they agree, and a promise
        that held in A does not hold in B; 1: the runs could not be compared.
        """;

    public static Command Create()
    {
        var before = new Argument<FileInfo>("A") { Description = "The run to compare with." }.AcceptExistingOnly();
        var after = new Argument<FileInfo>("B") { Description = "The run that is looked at." }.AcceptExistingOnly();
        var command = new Command("compare", Help) { before, after };
        command.SetAction(parsed => Compare(parsed.GetRequiredValue(before), parsed.GetRequiredValue(after)));
        return command;
    }

    internal static int ExitCode(Comparison comparison) =>
        comparison.Disagreeing.Any() ? Disagree : comparison.Broken.Any() ? Broken : Agree;

    private static int Compare(FileInfo before, FileInfo after)
    {
        var comparison = new Comparison(ReportFile.Read(before.FullName), ReportFile.Read(after.FullName));
        LabConsole.Create().Write(Table(comparison));
        foreach (var line in ComparisonText.Lines(comparison))
            Console.WriteLine(line);
        return ExitCode(comparison);
    }

    private static Table Table(Comparison comparison)
    {
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

        return table;
    }
}
