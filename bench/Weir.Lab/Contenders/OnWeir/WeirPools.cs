namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The pools of the lab's services: a contender keeps workers in the one it measures, and none elsewhere.</summary>
internal static class WeirPools
{
    private static readonly string[] Names = ["weather", "tasks", "neighbours", Controlled.Pool, ServedTasks.Pool, ForeignWorkers.Pool];

    public static void Configure(WeirOptions weir, string used, int workers)
    {
        foreach (var name in Names)
            weir.Pool(name).MinWorkers = 0;

        // Asked for by nobody here, but a pool that could not run its operations would be an error.
        weir.Pool(ForeignWorkers.Pool).Command = ForeignWorkers.Command("Python");
        if (workers > 0)
        {
            weir.Pool(used).MinWorkers = workers;
            weir.Pool(used).MaxWorkers = workers;
        }
    }
}
