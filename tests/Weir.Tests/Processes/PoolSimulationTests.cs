namespace Weir.Tests.Processes;

public class PoolSimulationTests
{
    [Fact]
    public void Whatever_happens_every_call_has_one_ending_the_maximum_holds_and_drain_is_never_early()
    {
        int calls = 0, delivered = 0;
        for (var seed = 0; seed < 3_000; seed++)
        {
            var simulation = new PoolSimulation(seed);
            try
            {
                simulation.Run();
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"seed {seed}: {failure.Message}", failure);
            }

            calls += simulation.Calls;
            delivered += simulation.Delivered;
        }

        // The simulation itself works: most calls are answered, not all.
        Assert.InRange(delivered, calls / 3, calls * 9 / 10);
    }
}
