using System.Globalization;
using Spectre.Console;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Observe;

/// <summary><c>weir report</c>.</summary>
/// <param name="session">The dashboard.</param>
/// <param name="console">Where it is printed.</param>
internal sealed class Report(DashboardSession session, CommandConsole console)
{
    /// <summary>Prints one report, or the list of those that are kept.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="DashboardException">There is no answer, or no such report.</exception>
    public async Task<int> RunAsync(string? id, bool isJson, CancellationToken cancellationToken)
    {
        var rest = id is null ? "reports" : $"reports/{Uri.EscapeDataString(id)}";
        if (isJson)
        {
            await console.Output.WriteAsync(await session.GetAsync(rest, "application/json", cancellationToken), cancellationToken);
            await console.Out.WriteLineAsync();
        }
        else if (id is null)
        {
            await ListAsync(await session.GetAsync(rest, "application/json", cancellationToken));
        }
        else
        {
            await console.Out.WriteAsync(await session.GetTextAsync(rest, cancellationToken));
        }

        return ExitCodes.Success;
    }

    private async Task ListAsync(ReadOnlyMemory<byte> record)
    {
        var reports = JsonMembers.List(JsonMembers.Parse(record) ?? default, "reports") ?? throw new DashboardException("The answer is no list of crash reports.");
        if (reports.Count == 0)
        {
            await console.Out.WriteLineAsync("No worker has failed since the application started.");
            return;
        }

        var table = new Table { Border = TableBorder.None };
        foreach (var column in new[] { "AT", "REPORT", "OPERATION", "PHASE", "CAUSE" })
        {
            table.AddColumn(new TableColumn(column) { NoWrap = column != "CAUSE" });
        }

        foreach (var report in reports)
        {
            var at = JsonMembers.Fraction(report, "t") is { } seconds ? DateTimeOffset.UnixEpoch.AddSeconds(seconds).ToLocalTime().ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) : "";
            table.AddRow([.. new[] { at, JsonMembers.Text(report, "id"), JsonMembers.Text(report, "op") ?? "–", JsonMembers.Text(report, "phase"), JsonMembers.Text(report, "cause") }
                .Select(static text => new Text(SafeText.Of(text ?? "", keepsLines: false)))]);
        }

        console.OutputDisplay().Write(table);
    }
}
