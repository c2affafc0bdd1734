using System.Globalization;
using Spectre.Console;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary>A report for people.</summary>
internal sealed class LoadTables(LoadOptions options, LoadReport report)
{
    /// <summary>Prints it.</summary>
    public void Print(IAnsiConsole display)
    {
        display.WriteLine($"{options.Method} {options.Address}  {Model()}, HTTP/{options.HttpVersion}");
        display.WriteLine();
        display.Write(Times());
        display.WriteLine();
        display.WriteLine(Text($"{report.Requests:N0} requests in {report.Seconds:0.0} s: {report.Rate:N0}/s succeeded, {report.Errors:N0} {(report.Errors == 1 ? "error" : "errors")}, {report.BytesReceived / 1e6:0.0} MB received"));
        foreach (var (kind, count) in report.ErrorsByKind)
        {
            display.WriteLine(Text($"  {count:N0} × {kind}"));
        }

        if (options.IsStream)
        {
            display.WriteLine(Text($"{report.Items:N0} items, {report.Items / report.Seconds:N0}/s"));
        }

        display.WriteLine(Late());
    }

    private string Model() => options.Rate is { } rate
        ? Text($"open model: {rate:0.###} requests/s{(options.IsPoisson ? " with random gaps" : "")} on up to {options.Connections} connections")
        : Text($"closed model: {options.Connections} connections");

    private string Late() => options.Rate is null
        ? "generator late by 0.00 ms: in the closed model a request is due when the one before it was answered"
        : $"generator late by p50 {Durations.Milliseconds(report.Lateness.P50)}, p99 {Durations.Milliseconds(report.Lateness.P99)}, max {Durations.Milliseconds(report.Lateness.Max)}";

    private Table Times()
    {
        var table = new Table { Border = TableBorder.Simple };
        table.AddColumn("");
        foreach (var name in new[] { "p50", "p90", "p99", "p99.9", "max" })
        {
            table.AddColumn(name, static column => column.RightAligned());
        }

        Add("service time", report.ServiceTime);
        Add("response time, from the intended start", report.ResponseTime);
        if (options.Rate is not null)
        {
            Add("of that, waiting for a connection", report.ConnectionWait);
        }

        Add("first byte", report.FirstByte);
        Add("gap between items", report.ItemGap);
        return table;

        void Add(string name, LatencySummary? times)
        {
            if (times is { } given)
            {
                string[] row = [name, .. new[] { given.P50, given.P90, given.P99, given.P999, given.Max }.Select(value => given.Count == 0 ? "–" : Durations.Milliseconds(value))];
                table.AddRow(row);
            }
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
