using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A pool of Weir's workers without a web server, asked the same things as document 003's host.</summary>
internal sealed class WeirPoolProgram : ContenderProgram
{
    private readonly MetricsListener _metrics = new();
    private readonly CancellationTokenSource _leaving = new();
    private string _language = "";
    private WorkerPool? _pool;
    private Submitted? _submitted;

    private WorkerPool Pool => _pool ?? throw new InvalidOperationException("There is no pool: it was not started, or stopped.");

    private IHelloTasksClient Hello => Pool.GetProxy<IHelloTasksClient>();

    private IWorkerProbeClient Probe => Pool.GetProxy<IWorkerProbeClient>();

    private TaskCalls Tasks => _language.Length == 0 ? WeirCalls.Of(Hello) : WeirCalls.Of(Pool.GetProxy<IForeignTasks>());

    /// <summary>A pool <c>pool</c> of <c>min</c> to <c>max</c> workers, in another <c>language</c> where one is named; with <c>max=0</c> none yet.</summary>
    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        _language = settings.Text("language", "");
        var most = settings.Int("max", 0);
        _pool = most == 0 ? null
            : _language.Length > 0 ? WeirStart.Pool(_language, most)
            : WeirStart.Pool(settings.Text("pool", "tasks"), options =>
            {
                options.MaxWorkers = most;
                options.MinWorkers = settings.Int("min", most);
                options.IdleTimeout = TimeSpan.FromMilliseconds(settings.Int("idle", 10_000));
                options.MemoryLimitBytes = settings.Int("memoryMb", 0) is > 0 and var megabytes ? (long)megabytes << 20 : null;
            });
        return base.StartAsync(settings);
    }

    public override async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => request.Verb switch
    {
        "start" => await WeirStart.RunAsync(_language, IsServed(request), request.Int("count")),
        "standby" => await WeirStart.FromStandbyAsync(IsServed(request), request.Int("count")),
        "tasks" => await Tasks.OneAtATimeAsync(request),
        "pool" => await Tasks.InFlightAsync(request),
        "batch" => await WeirCalls.InBatchesAsync(Hello, request),
        "payload" => await WeirCalls.PayloadAsync(Hello, request),
        "allocation" => await WeirAllocation.RunAsync(Hello, Probe, request),
        "deaths" => await WeirDeaths.RunAsync(Pool, request.Int("count")),
        "bounds" => await WeirBounds.RunAsync(request),
        "chaos" => await WeirChaos.RunAsync(Hello, request),
        "neighbour" => WeirNeighbours.Run(Pool, request),
        "burn" => Burn(request.Int("workers")),
        "burst" => Burst(request),
        "stop" => await StopAsync(),
        "answer" => await Tasks.AnswerAsync(request),
        _ => await base.LinesAsync(request),
    };

    public override async ValueTask DisposeAsync()
    {
        await _leaving.CancelAsync();
        if (_pool is not null)
            await _pool.DisposeAsync();
        _metrics.Dispose();
        _leaving.Dispose();
        await base.DisposeAsync();
    }

    // Whether the class of the task is given services by its constructor.
    private static bool IsServed(ControlLine request) => request.Is("services", "1");

    // So many workers compute without an end, until this process exits.
    private IEnumerable<ControlLine> Burn(int workers)
    {
        for (var i = 0; i < workers; i++)
            _ = Probe.Burn(_leaving.Token).AsTask();
        WeirStart.WaitUntilBusy(Pool, workers);
        return [Readings.Done()];
    }

    private IEnumerable<ControlLine> Burst(ControlLine request)
    {
        _submitted ??= new Submitted(Hello);
        _submitted.Add(request.Int("count"), request.Int("bytes"));
        return [Readings.Done()];
    }

    // How many calls had no outcome when the drain completed.
    private async Task<IEnumerable<ControlLine>> StopAsync()
    {
        await Pool.DrainAsync();
        _pool = null;
        return [new ControlLine("ok").With("unfinished", _submitted?.Unfinished ?? 0)];
    }
}
