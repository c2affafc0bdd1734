using Spectre.Console;
using Weir.Cli.Terminal;
using Weir.Execution.Machine;

namespace Weir.Cli.Doctor;

/// <summary>What the doctor found, for people and for programs.</summary>
internal sealed class DoctorReport(IReadOnlyList<DoctorSection> sections)
{
    private IEnumerable<MachineFinding> Missing => sections.SelectMany(static section => section.Findings).Where(static finding => finding.State == FindingState.Missing);

    /// <summary>Everything that can be found on this machine.</summary>
    public static DoctorReport OfThisMachine() => new(
    [
        new DoctorSection("isolation", MachineProbe.OfThisMachine().Isolation()),
        new DoctorSection("resources", [.. MachineProbe.Resources(), .. HostFindings.SharedMemoryFolder()]),
        new DoctorSection("clock", HostFindings.Clock()),
        new DoctorSection("runtime", HostFindings.Runtime()),
    ]);

    /// <summary>Failure where something that Weir needs is missing.</summary>
    public int ExitCode => Missing.Any() ? ExitCodes.Failure : ExitCodes.Success;

    /// <summary>A table for each section, and what is missing in the end.</summary>
    public void Print(IAnsiConsole display)
    {
        foreach (var section in sections.Where(static section => section.Findings.Count > 0))
        {
            var table = new Table { Border = TableBorder.None, ShowHeaders = false };
            table.AddColumns("", "name", "level", "detail");
            table.Columns[3].NoWrap = false;
            foreach (var finding in section.Findings)
            {
                table.AddRow(new Text(Mark(finding.State)), new Text(finding.Name), new Text(finding.Level), new Text(Detail(finding)));
            }

            display.WriteLine(section.Name);
            display.Write(table);
            display.WriteLine();
        }

        foreach (var finding in Missing)
        {
            display.WriteLine($"missing: {finding.Name}. Next step: {finding.NextStep}.");
        }

        if (!Missing.Any())
        {
            display.WriteLine("Nothing that Weir needs is missing.");
        }
    }

    /// <summary>One JSON object in a line.</summary>
    public string ToJson() => JsonText.Of(json =>
    {
        json.WriteBoolean("complete", !Missing.Any());
        foreach (var section in sections)
        {
            json.WriteStartArray(section.Name);
            foreach (var finding in section.Findings)
            {
                json.WriteStartObject();
                json.WriteString("name", finding.Name);
                json.WriteString("level", finding.Level);
                json.WriteString("state", Name(finding.State));
                json.WriteString("detail", finding.Detail);
                json.WriteString("nextStep", finding.NextStep);
                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

    });

    private static string Detail(MachineFinding finding) =>
        string.Join("; ", new[] { finding.Detail, finding.NextStep is null ? null : $"→ {finding.NextStep}" }.OfType<string>());

    private static string Mark(FindingState state) => state switch
    {
        FindingState.Full => "+",
        FindingState.Reduced => "~",
        _ => "!",
    };

    private static string Name(FindingState state) => state switch
    {
        FindingState.Full => "full",
        FindingState.Reduced => "reduced",
        _ => "missing",
    };
}
