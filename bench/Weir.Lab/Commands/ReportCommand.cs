using System.CommandLine;
using Weir.Lab.Reporting;

namespace Weir.Lab.Commands;

/// <summary><c>lab report RUN.json PAGE.md</c>: a run as a page under <c>docs/results</c>.</summary>
internal static class ReportCommand
{
    public static Command Create()
    {
        var run = new Argument<FileInfo>("run") { Description = "A run, as 'lab run --json' wrote it." }.AcceptExistingOnly();
        var page = new Argument<FileInfo>("page") { Description = "The page to write, such as docs/results/full.md." };
        var title = new Option<string>("--title") { Description = "The page's title.", DefaultValueFactory = _ => "What the lab measured" };
        var command = new Command("report", "Writes a run as a page.") { run, page, title };
        command.SetAction(parsed =>
        {
            var target = parsed.GetRequiredValue(page);
            target.Directory!.Create();
            File.WriteAllText(target.FullName, MarkdownReport.Text(ReportFile.Read(parsed.GetRequiredValue(run).FullName), parsed.GetRequiredValue(title)));
            return 0;
        });
        return command;
    }
}
