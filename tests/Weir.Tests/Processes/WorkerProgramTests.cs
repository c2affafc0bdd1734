using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public sealed class WorkerProgramTests
{
    [Fact]
    public void A_foreign_worker_is_tied_to_its_host_before_its_program_runs()
    {
        var program = WorkerProgram.ForCommand(["python3", "/app/hash.py"], new PoolOptions());
        var host = $"{Environment.ProcessId}";
        Assert.Equal(["exec", "--host", host, "--", "python3", "/app/hash.py", "--host", host], program.Arguments.TakeLast(8));
        Assert.EndsWith("Weir.Worker.dll", program.Arguments[^9], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("node", "nodejs")]
    [InlineData("mono", "mono-runtime")]
    [InlineData("python3", "python3")]
    public void A_program_that_is_not_on_the_PATH_is_named_with_what_to_install(string name, string package)
    {
        var program = WorkerProgram.ForCommand([name], new PoolOptions()) with { Environment = new Dictionary<string, string> { ["PATH"] = "/no/such/folder::/nor/this" } };
        var failure = Assert.Throws<LaunchException>(program.Require);
        Assert.Equal(WeirCodes.ProgramMissing, failure.Code);
        Assert.Contains($"Command names '{name}'", failure.Message, StringComparison.Ordinal);
        Assert.Contains($"apt-get install {package})", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_path_is_resolved_by_the_operating_system() => WorkerProgram.ForCommand(["./worker", "x"], new PoolOptions()).Require();
}
