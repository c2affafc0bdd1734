namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The pools of the lab's services: a contender keeps workers in the one it measures, and none elsewhere.</summary>
internal static class WeirPools
{
    public static void Configure(WeirOptions weir, string used, int workers)
    {
        weir.PoolDefaults.MinWorkers = 0;

        // Not used here, but a pool that could not run its operations would be an error.
        weir.Pool(ForeignWorkers.Pool).Command = ForeignWorkers.Command("Python");
        if (workers > 0)
        {
            weir.Pool(used).MinWorkers = workers;
            weir.Pool(used).MaxWorkers = workers;
        }
    }
}
