using Weir.Execution.Pools.Definition;
using Xunit;

namespace Weir.IntegrationTests.Processes;

public class WorkerCommandTests
{
    [Fact]
    public async Task In_a_test_host_the_command_starts_the_worker_on_the_tests_own_graph()
    {
        var command = WorkerCommand.ForThisProcess();
        Assert.EndsWith("Weir.IntegrationTests.deps.json", command.Arguments[2], StringComparison.Ordinal);
        await using var launched = await Launched.StartAsync(
            command.FileName, [.. command.Arguments], environment: new(WorkerEnvironment.FromThisProcess(new PoolOptions())));
        launched.Worker.Data.End();
        launched.Worker.Control.End();
        var report = await launched.ExitAsync();
        Assert.True(report.ExitCode is not null, $"{report}\n{launched.Worker.ReadOutputTail()}");
    }
}
