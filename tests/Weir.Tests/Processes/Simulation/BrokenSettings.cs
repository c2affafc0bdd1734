using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>The settings that a pool uses if a rule is broken on purpose; the oracle uses the correct ones.</summary>
internal static class BrokenSettings
{
    public static PoolSettings Of(PoolSettings settings, Mutation mutation) => mutation switch
    {
        Mutation.RetriesForEver => settings with { MostRetries = 1000, QuarantineKills = 0 },
        Mutation.SendsWithoutBound => settings with { LongestBacklog = TimeSpan.FromHours(1), MostPrefetchedBytes = long.MaxValue },
        Mutation.CutsTheGrace => settings with { CancelGrace = settings.CancelGrace / 2 },
        Mutation.ExceedsMaximum => settings with { MaxWorkers = settings.MaxWorkers + 1, QueueLimit = Math.Max(0, settings.QueueLimit - settings.Concurrency) },
        Mutation.ExceedsPlaces => settings with { QueueLimit = settings.QueueLimit + 1 },
        Mutation.ForgetsTasks => settings with { MostTasks = null },
        Mutation.ForgetsBudget => settings with { RestartBudget = 1000 },
        Mutation.ForgetsQuarantine => settings with { QuarantineKills = 0 },
        Mutation.ForgivesForEver => settings with { ForgivenDeaths = int.MaxValue },
        Mutation.NeverForgets => settings with { QuarantineTime = TimeSpan.FromHours(1) },
        Mutation.BlamesAtOnce => settings with { QuarantineKills = 1 },
        _ => settings,
    };
}
