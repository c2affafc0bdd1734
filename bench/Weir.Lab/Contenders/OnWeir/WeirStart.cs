using Weir.Execution;
using Weir.Generated;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Starting pools, and how long their workers take to be ready.</summary>
internal static class WeirStart
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>A pool of the lab's services.</summary>
    public static WorkerPool Pool(string name, Action<PoolOptions> configure)
    {
        var options = new PoolOptions();
        configure(options);
        return WorkerPool.Start(name, new WeirCatalogs(ApplicationCatalog.AssemblyName, ApplicationCatalog.Catalogs), options);
    }

    /// <summary>Starts a pool of one worker, waits until the worker is ready, and ends both; many times.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(int count)
    {
        var ticks = new long[count];
        var began = Clock.Now;
        for (var i = 0; i < count; i++)
        {
            var before = Clock.Now;
            await using var pool = Pool("tasks", options => options.MaxWorkers = 1);
            WaitUntilReady(pool);
            ticks[i] = Clock.Now - before;
        }

        return Readings.OfStarts(ticks, Clock.SecondsSince(began));
    }

    // A pool says of itself who is ready, to whoever looks: looking oftener would take the processor from those who start.
    private static void WaitUntilReady(WorkerPool pool)
    {
        var began = Clock.Now;
        while (!pool.Snapshot().Workers.Any(worker => worker.State == "idle"))
        {
            if (Clock.SecondsSince(began) > Patience.TotalSeconds)
                throw new TimeoutException("No worker was ready.");
            Thread.Sleep(1);
        }
    }
}
