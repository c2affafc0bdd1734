using Microsoft.Extensions.Configuration;
using Weir.Generated;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Runtime;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Starting pools, and how long their workers take to be ready, and then to run.</summary>
internal static class WeirStart
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    // How long a worker has waited for its first call: it warms up beside its first calls, if they come at once.
    private static readonly TimeSpan Standby = TimeSpan.FromMilliseconds(100);

    /// <summary>A pool of the lab's services.</summary>
    public static WorkerPool Pool(string name, Action<PoolOptions> configure, IConfiguration? host = null)
    {
        var options = new PoolOptions();
        configure(options);
        return WorkerPool.Start(name, new WeirCatalogs(ApplicationCatalog.AssemblyName, ApplicationCatalog.Catalogs), options, configuration: host);
    }

    /// <summary>The pool whose workers are programs in another language.</summary>
    public static WorkerPool Pool(string language, int workers) => Pool(ForeignWorkers.Pool, options =>
    {
        options.Command = ForeignWorkers.Command(language);
        options.MinWorkers = options.MaxWorkers = workers;
    });

    /// <summary>Starts a pool of one worker, waits until the worker is ready, and ends both; many times.</summary>
    /// <param name="language">Of the worker; empty for one of this application.</param>
    /// <param name="served">Whether its services need others, which the worker builds before it is ready.</param>
    /// <param name="count">How many times.</param>
    public static async Task<IEnumerable<ControlLine>> RunAsync(string language, bool served, int count)
    {
        var ticks = new long[count];
        var began = Clock.Now;
        for (var i = 0; i < count; i++)
        {
            var before = Clock.Now;
            await using var pool = language.Length == 0 ? OfOne(served) : Pool(language, workers: 1);
            WaitUntilReady(pool);
            ticks[i] = Clock.Now - before;
        }

        return Readings.OfStarts(ticks, Clock.SecondsSince(began));
    }

    /// <summary>How long a null call takes that a worker has been waiting for: the first of its life, so that all it needs is new to it.</summary>
    public static async Task<IEnumerable<ControlLine>> FromStandbyAsync(bool served, int count)
    {
        var ticks = new long[count];
        for (var i = 0; i < count; i++)
        {
            await using var pool = OfOne(served);
            WaitUntilReady(pool);
            await Task.Delay(Standby);
            Func<ReadOnlyMemory<byte>, CancellationToken, ValueTask<string>> call =
                served ? pool.GetProxy<IServedTasksClient>().Nothing : pool.GetProxy<IHelloTasksClient>().Nothing;
            var before = Clock.Now;
            await call(ReadOnlyMemory<byte>.Empty, CancellationToken.None);
            ticks[i] = Clock.Now - before;
        }

        return Readings.OfStarts(ticks);
    }

    /// <summary>Waits until so many workers are idle. The snapshot of the pool shows it; reading it more often would take the processor from the workers that start.</summary>
    public static void WaitUntilReady(WorkerPool pool, int workers = 1) => WaitUntil(pool, "idle", workers);

    /// <summary>Waits until so many workers run a call.</summary>
    public static void WaitUntilBusy(WorkerPool pool, int workers) => WaitUntil(pool, "busy", workers);

    private static WorkerPool OfOne(bool served) => Pool(served ? ServedTasks.Pool : "tasks", options => options.MaxWorkers = 1);

    private static void WaitUntil(WorkerPool pool, string state, int workers)
    {
        var began = Clock.Now;
        while (pool.Snapshot().Workers.Count(worker => worker.State == state) < workers)
        {
            if (Clock.SecondsSince(began) > Patience.TotalSeconds)
                throw new TimeoutException($"After {Patience.TotalSeconds:0} s fewer than {workers} workers are {state}.");
            Thread.Sleep(1);
        }
    }
}
