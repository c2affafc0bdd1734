using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Resuming;
using Weir.AspNetCore.Streaming;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Starts the runtime together with the host, and drains it when the server and everything else has stopped, within
/// the host's shutdown timeout: a call that never completes must not keep the process running.
/// </summary>
internal sealed class RuntimeStart(IServiceProvider services) : IHostedLifecycleService
{
    // About as long as the first request takes in a process that has just started. Without it that took 1.2 times as long with a pool of one
    // worker as without a pool, on two processors (bench/Weir.Lab, startup).
    private static readonly TimeSpan WorkerDelay = TimeSpan.FromMilliseconds(100);

    // Taken at start: an application that runs in a test host may dispose of its services while the host still stops.
    private WeirRuntime? _runtime;
    private KeptStreams? _kept;
    private ShutdownCut? _cut;
    private ShutdownReport? _report;

    public Task StartingAsync(CancellationToken cancellationToken)
    {
        // Checks the options before anything starts. ValidateOnStart would create them twice, and a monitor of their changes that has no other use.
        _ = services.GetRequiredService<IOptions<WeirServerOptions>>().Value;
        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _kept = services.GetRequiredService<KeptStreams>();
        _cut = services.GetRequiredService<ShutdownCut>();
        _report = services.GetRequiredService<ShutdownReport>();
        _runtime = services.GetService<WeirRuntime>();
        return Task.CompletedTask;
    }

    // The server listens now. A request may have come before, and is served: the lane and the pools start what it needs.
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        _runtime?.Start(WorkerDelay);
        return Task.CompletedTask;
    }

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        // Their calls run beside all requests.
        if (_kept is not null)
        {
            await _kept.StopAsync(cancellationToken);
        }

        if (_runtime is not null)
        {
            await _runtime.DrainAsync(cancellationToken);
        }

        _report?.Dispose();
    }

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        _cut?.Begin();
        _report?.Begin(_runtime);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
