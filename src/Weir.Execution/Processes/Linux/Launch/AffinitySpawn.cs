using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>Spawns a worker on the processors it is to run on: it counts them when it starts, so it must be created on them.</summary>
internal static class AffinitySpawn
{
    /// <summary>Runs on the thread that creates workers; that thread is moved to those processors until this method returns.</summary>
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
            // The limits are applied again from outside, and a failure is reported there.
            return PosixSpawn.Start(plan);
        }

        using (loan)
        {
            return PosixSpawn.Start(plan);
        }
    }
}
