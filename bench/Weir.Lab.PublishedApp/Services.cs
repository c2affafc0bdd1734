using System.Diagnostics;
using Weir;
using Weir.Generated;
using Weir.Runtime;

namespace PublishedApp;

[Service]
public sealed class Hello
{
    [Get]
    public string World() => "Hello, world";
}

[Service, Isolated("tasks")]
public sealed class Tasks
{
    [Get]
    public int Identify() => Environment.ProcessId;
}

[Service]
public sealed class Starts
{
    /// <summary>How long a worker takes until it is ready, in milliseconds; each is started alone and ended again.</summary>
    [Get]
    public async Task<double[]> Ready(int count)
    {
        var times = new double[count];
        for (var i = 0; i < count; i++)
        {
            var began = Stopwatch.GetTimestamp();
            await using var pool = WorkerPool.Start("tasks", new WeirCatalogs(ApplicationCatalog.AssemblyName, ApplicationCatalog.Catalogs), new PoolOptions { MinWorkers = 1, MaxWorkers = 1 });
            await pool.WaitUntilReadyAsync();
            times[i] = Stopwatch.GetElapsedTime(began).TotalMilliseconds;
        }

        return times;
    }
}
