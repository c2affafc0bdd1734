using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Limits hold whatever happens to jobs and replicas.</summary>
public sealed class LimitSimulationTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task In_fifty_thousand_random_steps_no_key_runs_twice_and_no_more_jobs_run_than_may(int seed)
    {
        const int Steps = 50_000;
        await using var store = new MemoryJobStore();
        var simulation = new LimitSimulation(seed);
        for (var step = 1; step <= Steps; step++)
        {
            await simulation.StepAsync(store);
            if (step % 1_000 == 0)
            {
                await simulation.CompareAsync(store);
            }
        }

        simulation.AssertHappened(Steps);
    }
}
