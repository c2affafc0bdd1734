using System.Globalization;
using System.Text;

namespace Weir.Execution.Observation.Records;

/// <summary>Writes one crash report for people: why the worker ended, what it ran, its limits, and all that it printed. Pure.</summary>
internal static class ReportText
{
    /// <summary>Writes it.</summary>
    public static string Write(CrashReport report)
    {
        var text = new StringBuilder();
        Line("report", report.Id);
        Line("cause", report.Cause);
        Line("phase", report.Phase);
        Line("at", string.Create(CultureInfo.InvariantCulture, $"{report.At:yyyy-MM-dd HH:mm:ss zzz}"));
        Line("pool", string.Create(CultureInfo.InvariantCulture, $"{report.Pool}, process {report.ProcessId}, generation {report.Generation}"));
        Line("age", string.Create(CultureInfo.InvariantCulture, $"{report.Age.TotalSeconds:0.0} s, {report.CallsDone} {(report.CallsDone == 1 ? "call" : "calls")} answered before"));
        Line("ended with", report switch
        {
            { Signal: { } signal } => string.Create(CultureInfo.InvariantCulture, $"signal {signal}"),
            { ExitCode: { } code } => string.Create(CultureInfo.InvariantCulture, $"exit code {code}"),
            _ => null,
        });
        Line("limits", report.Limits.ToString());
        Line("minidump", report.DumpPath);
        if (report.Calls.Count > 0)
        {
            text.Append("\nCALLS\n");
            foreach (var call in report.Calls)
            {
                text.Append(CultureInfo.InvariantCulture, $"  {call}\n");
            }
        }

        Block("WHAT IT RAN", report.Stack);
        Block("OUTPUT", report.Output.Length == 0 ? "It printed nothing, neither on stdout nor on stderr." : report.Output);
        return text.ToString();

        void Line(string name, string? value)
        {
            if (value is not null)
            {
                text.Append(CultureInfo.InvariantCulture, $"{name,-10}  {value.ReplaceLineEndings(" ")}\n");
            }
        }

        void Block(string title, string? value)
        {
            if (value is not null)
            {
                text.Append(CultureInfo.InvariantCulture, $"\n{title}\n{value.TrimEnd()}\n");
            }
        }
    }
}
