using System.Diagnostics;
using System.Globalization;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.House;

/// <summary>What <c>./test.sh</c> promises to a script that reads its last line and its exit code.</summary>
public sealed class TestScriptTests : IDisposable
{
    private readonly ScriptedHouse _house = new();

    public void Dispose() => _house.Dispose();

    [Fact]
    public async Task The_last_line_sums_over_all_projects()
    {
        var outcome = await _house.WithResult("A.Tests", 3, 0).WithResult("B.Tests", 4, 0).RunAsync();
        Assert.Equal((0, "7 passed, 0 failed"), (outcome.ExitCode, outcome.LastLine));
        Assert.Contains("A.Tests: 3 passed, 0 failed", outcome.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Failures_errors_and_skips_are_counted()
    {
        var outcome = await _house.WithResult("A.Tests", 3, 1, errors: 1).WithResult("B.Tests", 4, 0, skipped: 2).RunAsync();
        Assert.Equal((1, "7 passed, 2 failed, 2 skipped"), (outcome.ExitCode, outcome.LastLine));
    }

    [Theory]
    [InlineData("exit 134", "ended with code 134")]
    [InlineData("echo '<assemblies><assembly passed=\"5\"' > \"$xml\"; exit 139", "ended with code 139")]
    [InlineData("echo '<assemblies></assemblies>' > \"$xml\"", "ran no test")]
    [InlineData("exec sleep 60", "stopped after 1s")]
    public async Task A_project_that_crashes_hangs_or_runs_nothing_fails(string shell, string note)
    {
        var outcome = await _house.WithResult("A.Tests", 3, 0).WithProject("B.Tests", shell).RunAsync();
        Assert.Equal((1, "3 passed, 1 failed"), (outcome.ExitCode, outcome.LastLine));
        Assert.Contains(note, outcome.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("restore", "0 passed, 1 failed")]
    [InlineData("build", "0 passed, 1 failed")]
    [InlineData("format", "3 passed, 1 failed")]
    public async Task A_step_that_fails_fails_the_run_and_shows_why(string step, string lastLine)
    {
        var outcome = await _house.WithStep(step, "echo the reason; exit 1").WithResult("A.Tests", 3, 0).RunAsync();
        Assert.Equal((1, lastLine), (outcome.ExitCode, outcome.LastLine));
        Assert.Contains("the reason", outcome.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_house_without_tests_fails()
    {
        var outcome = await _house.RunAsync();
        Assert.Equal((1, "0 passed, 1 failed"), (outcome.ExitCode, outcome.LastLine));
    }

    [Fact]
    public async Task Soaks_run_only_when_asked_for()
    {
        _house.WithProject("A.Tests", """echo "arguments: $*"; exit 1""");
        Assert.Contains("-trait- Kind=Long", (await _house.RunAsync()).Output, StringComparison.Ordinal);
        Assert.DoesNotContain("-trait-", (await _house.RunAsync("--long")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interrupted_run_ends_what_it_started_and_says_so()
    {
        _house.WithStep("build", "echo $$ > build.pid.new; mv build.pid.new build.pid; exec sleep 60").WithResult("A.Tests", 3, 0);
        using var run = await _house.StartAsync();
        Assert.True(await ProcFiles.EventuallyAsync(() => File.Exists(_house.At("build.pid")), TimeSpan.FromSeconds(20)));
        var build = int.Parse(await File.ReadAllTextAsync(_house.At("build.pid"), TestContext.Current.CancellationToken), CultureInfo.InvariantCulture);
        Assert.True(ProcFiles.IsRunning(build));

        // A step may run before those that have started it know its process.
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.Stat(run.Id) is { State: 'S' } && ProcFiles.Stat(build) is { } step && ProcFiles.Stat(step.Parent) is { State: 'S' }, TimeSpan.FromSeconds(20)));
        using var interrupt = Process.Start("/bin/bash", ["-c", $"kill -TERM {run.Id}"]);
        var outcome = await ScriptedHouse.EndAsync(run);
        Assert.Equal((1, "0 passed, 1 failed"), (outcome.ExitCode, outcome.LastLine));
        Assert.False(ProcFiles.IsRunning(build));
    }
}
