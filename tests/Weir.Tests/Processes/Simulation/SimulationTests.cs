using System.Collections.Concurrent;

namespace Weir.Tests.Processes.Simulation;

public sealed class SimulationTests
{
    private const int Seeds = 20_000;

    [Fact]
    public void Whatever_happens_every_call_has_one_outcome_and_every_bound_holds()
    {
        var (calls, answered) = RunAll(0, Seeds);

        // The simulation itself works: most calls are answered, not all.
        Assert.InRange(answered, calls / 3, calls * 9 / 10);
    }

    [Fact, Trait("Kind", "Long")]
    public void The_rules_hold_for_many_more_seeds() => RunAll(Seeds, 25 * Seeds);

    /// <summary><c>WEIR_SEED=123 dotnet Weir.Tests.dll -explicit only -method '*A_seed_is_replayed'</c> shows all that happened.</summary>
    [Fact(Explicit = true)]
    public void A_seed_is_replayed()
    {
        var simulation = new PoolSimulation(int.Parse(Environment.GetEnvironmentVariable("WEIR_SEED")!), traces: true);
        try
        {
            simulation.Run();
        }
        finally
        {
            TestContext.Current.TestOutputHelper!.WriteLine(string.Join('\n', simulation.Trace));
        }
    }

    [Fact]
    public void A_seed_always_gives_the_same_events()
    {
        for (var seed = 0; seed < 50; seed++)
        {
            Assert.Equal(Traced(seed), Traced(seed));
        }

        static IEnumerable<string> Traced(int seed)
        {
            var simulation = new PoolSimulation(seed, traces: true);
            simulation.Run();
            return simulation.Trace;
        }
    }

    private static (int Calls, int Answered) RunAll(int from, int to)
    {
        int calls = 0, answered = 0;
        var failures = new ConcurrentBag<(int Seed, string Message)>();
        Parallel.For(from, to, new ParallelOptions { MaxDegreeOfParallelism = 2 }, (seed, state) =>
        {
            try
            {
                var simulation = PoolSimulation.Run(seed);
                Interlocked.Add(ref calls, simulation.Calls);
                Interlocked.Add(ref answered, simulation.Answered);
            }
            catch (Exception failure)
            {
                failures.Add((seed, failure.Message));
                state.Stop();
            }
        });

        if (!failures.IsEmpty)
        {
            Assert.Fail(failures.MinBy(static failure => failure.Seed).Message);
        }

        return (calls, answered);
    }
}
