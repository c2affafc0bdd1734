using System.CommandLine;
using Weir.Cli.Terminal;

namespace Weir.Cli.Doctor;

/// <summary><c>weir doctor</c>.</summary>
internal static class DoctorCommand
{
    private const string Help = """
        Tries what isolation this machine allows, and shows what it has left for workers.

        '+' is complete, '~' is less than other machines have, '!' is missing. Run it as the user, and in the service or container, of the application.

        Exit code 0: nothing that Weir needs is missing; 1: something is.
        """;

    public static Command Create(CommandConsole console)
    {
        var json = new Option<bool>("--json") { Description = "Prints one JSON object." };
        var command = new Command("doctor", Help) { json };
        command.SetAction(parsed => Run(DoctorReport.OfThisMachine(), parsed.GetValue(json), console));
        return command;
    }

    /// <summary>Prints a report.</summary>
    /// <returns>The exit code.</returns>
    internal static int Run(DoctorReport report, bool json, CommandConsole console)
    {
        if (json)
        {
            console.Out.WriteLine(report.ToJson());
        }
        else
        {
            report.Print(console.OutputDisplay());
        }

        return report.ExitCode;
    }
}
