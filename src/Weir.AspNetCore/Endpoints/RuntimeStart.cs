using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.AspNetCore.Resuming;
using Weir.AspNetCore.Streaming;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Starts the runtime together with the host, and drains it when the server and everything else has stopped, within
/// the host's shutdown timeout: a call that never completes must not keep the process running.
/// </summary>
internal sealed class RuntimeStart(IServiceProvider services) : IHostedLifecycleService
{
    private WeirRuntime? _runtime;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _runtime = services.GetService<WeirRuntime>();
        _runtime?.Start();
        return Task.CompletedTask;
    }

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        // Their calls run beside all requests.
        await services.GetRequiredService<KeptStreams>().StopAsync(cancellationToken);
        if (_runtime is not null)
        {
            await _runtime.DrainAsync(cancellationToken);
        }
    }

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        services.GetRequiredService<ShutdownCut>().Begin();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
