using Weir.Cli.Doctor;
using Weir.Cli.Terminal;
using Weir.Execution.Machine;
using Weir.Execution.Processes;

namespace Weir.Cli.Tests.Doctor;

/// <summary><c>weir doctor</c> on this machine, and on others.</summary>
public class DoctorTests
{
    private static readonly string[] Limits = ["worker processes", "shared memory", "control groups", "memory", "processes", "CPU time", "priority", "processors", "out-of-memory order"];

    private static readonly string[] Sections = ["isolation", "resources", "clock", "runtime"];

    [Fact]
    public async Task Every_limit_of_this_machine_has_a_level()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("doctor", "--json"));
        var report = Assert.Single(cli.Lines);
        Assert.True(report.GetProperty("complete").GetBoolean());
        Assert.Equal(Limits, report.GetProperty("isolation").EnumerateArray().Select(static finding => finding.GetProperty("name").GetString()));
        foreach (var finding in Sections.SelectMany(section => report.GetProperty(section).EnumerateArray()))
        {
            Assert.NotEqual("", finding.GetProperty("level").GetString());
            Assert.NotEqual("missing", finding.GetProperty("state").GetString());
        }
    }

    [Fact]
    public async Task People_see_tables()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("doctor"));
        Assert.All(Limits, limit => Assert.Contains(limit, cli.Output, StringComparison.Ordinal));
        Assert.Contains("Nothing that Weir needs is missing.", cli.Output, StringComparison.Ordinal);
    }

    [Fact]
    public void Something_missing_is_exit_code_1_with_the_next_step()
    {
        var report = new DoctorReport([new DoctorSection("isolation", [new MachineFinding("worker processes", "none", FindingState.Missing) { NextStep = "run on Linux 5.4 or newer" }])]);
        using var output = new StringWriter();
        Assert.Equal(1, DoctorCommand.Run(report, json: false, new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = output, Error = TextWriter.Null }));
        Assert.Contains("missing: worker processes. Next step: run on Linux 5.4 or newer.", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("\"complete\":false", report.ToJson(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_machine_that_refuses_every_limit_has_a_reason_for_each()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The levels are those of Linux.");
        var findings = new MachineProbe(new RefusingLauncher()).Isolation().ToDictionary(static finding => finding.Name);
        foreach (var name in Limits[2..^1])
        {
            Assert.Equal(("none", FindingState.Reduced, "refused here"), (findings[name].Level, findings[name].State, findings[name].Detail));
        }
    }

    private sealed class RefusingLauncher : IWorkerLauncher
    {
        public Task<WorkerHandle> LaunchAsync(LaunchRequest request) => throw new NotSupportedException();

        public WorkerLimits Prepare(ILimitOptions options) =>
            options.ControlGroup == ControlGroupUse.WhereDelegated ? WorkerLimits.None : throw new LaunchException(WeirCodes.LimitNotApplied, "refused here");
    }
}
