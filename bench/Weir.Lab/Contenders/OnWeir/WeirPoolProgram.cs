using Weir.Execution;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A pool of Weir's workers without a web server, asked the same things as document 003's host.</summary>
internal sealed class WeirPoolProgram : ContenderProgram
{
    private readonly MetricsListener _metrics = new();
    private WorkerPool? _pool;
    private Submitted? _submitted;

    private WorkerPool Pool => _pool ?? throw new InvalidOperationException("There is no pool: it was not started, or stopped.");

    /// <summary>A pool <c>pool</c> of <c>min</c> to <c>max</c> workers; with <c>max=0</c> none yet.</summary>
    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        if (settings.Int("max", 0) > 0)
        {
            _pool = WeirStart.Pool(settings.Text("pool", "tasks"), options =>
            {
                options.MaxWorkers = settings.Int("max");
                options.MinWorkers = settings.Int("min", settings.Int("max"));
                options.IdleTimeout = TimeSpan.FromMilliseconds(settings.Int("idle", 10_000));
                options.MemoryLimitBytes = settings.Int("memoryMb", 0) is > 0 and var megabytes ? (long)megabytes << 20 : null;
            });
        }

        return base.StartAsync(settings);
    }

    public override async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => request.Verb switch
    {
        "start" => await WeirStart.RunAsync(request.Int("count")),
        "tasks" => await WeirCalls.OneAtATimeAsync(Pool.GetProxy<IHelloTasksClient>(), request),
        "sync" => await WeirCalls.FromOwnThreadAsync(Pool.GetProxy<IHelloTasksClient>(), request),
        "pool" => await WeirCalls.InFlightAsync(Pool.GetProxy<IHelloTasksClient>(), request),
        "allocation" => await WeirCalls.AllocationAsync(Pool.GetProxy<IHelloTasksClient>(), request),
        "chaos" => await WeirChaos.RunAsync(Pool.GetProxy<IHelloTasksClient>(), request),
        "neighbour" => WeirNeighbours.Run(Pool, request),
        "burst" => Burst(request),
        "stop" => await StopAsync(),
        "answer" => [new ControlLine("ok").With("answer", await Pool.GetProxy<IHelloTasksClient>().Hash(HelloAnswer.Counting(request.Int("bytes"))))],
        _ => await base.LinesAsync(request),
    };

    public override async ValueTask DisposeAsync()
    {
        if (_pool is not null)
            await _pool.DisposeAsync();
        _metrics.Dispose();
        await base.DisposeAsync();
    }

    private IEnumerable<ControlLine> Burst(ControlLine request)
    {
        _submitted ??= new Submitted(Pool.GetProxy<IHelloTasksClient>());
        _submitted.Add(request.Int("count"), request.Int("bytes"));
        return [Readings.Done()];
    }

    // How many calls had no result when draining said that all had their ending.
    private async Task<IEnumerable<ControlLine>> StopAsync()
    {
        await Pool.DrainAsync();
        _pool = null;
        return [new ControlLine("ok").With("unfinished", _submitted?.Unfinished ?? 0)];
    }
}
