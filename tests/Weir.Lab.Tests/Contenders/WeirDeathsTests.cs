using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Tests.Contenders;

public sealed class WeirDeathsTests
{
    private static readonly ProgramLaunch Pool = new("dotnet", [typeof(ProgramLaunch).Assembly.Location, "contender", "weir-pool", "max=1"]);

    [Fact]
    public async Task A_call_that_kills_its_worker_is_another_one_in_every_round()
    {
        // A call that has killed two workers is quarantined.
        var cancellation = TestContext.Current.CancellationToken;
        await using var process = await ContenderProcess.StartAsync(Pool, cancellation);
        for (var round = 1; round <= 3; round++)
            Assert.NotEqual(0, (await process.RunAsync(new ControlLine("deaths").With("count", 1), cancellation))["lost call ended p50"]);
    }
}
