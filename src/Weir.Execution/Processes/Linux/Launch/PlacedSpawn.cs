using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>Spawns a worker on the processors it is to run on: it counts them when it starts, so it must be born there.</summary>
internal static class PlacedSpawn
{
    /// <summary>Runs on the thread that creates workers, which is elsewhere for as long as it takes.</summary>
    /// <exception cref="LaunchException">The operating system refused.</exception>
    public static int Start(SpawnPlan plan)
    {
        if (plan.Request.Limits is not { Processors: { } processors } limits)
        {
            return PosixSpawn.Start(plan);
        }

        Affinity.Loan loan;
        try
        {
            loan = Affinity.Lend(processors);
        }
        catch (LaunchException) when (limits.BestEffort)
        {
            // It is tried again from outside, and what is missing is said there.
            return PosixSpawn.Start(plan);
        }

        using (loan)
        {
            return PosixSpawn.Start(plan);
        }
    }
}
