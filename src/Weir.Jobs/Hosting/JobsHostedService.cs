using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Weir.Jobs.Observation;
using Weir.Jobs.Running;

namespace Weir.Jobs.Hosting;

/// <summary>
/// Opens the store before anything else starts, runs jobs while the application runs, and drains them beside the server when it stops. In an application without a server it also starts and
/// drains the runtime.
/// </summary>
internal sealed class JobsHostedService(IServiceProvider services, IHostApplicationLifetime lifetime, IOptions<HostOptions> host) : IHostedLifecycleService
{
    private static readonly TimeSpan Margin = TimeSpan.FromSeconds(5);

    // Taken at start: an application that runs in a test host may dispose of its services while the host still stops.
    private JobEngine? _engine;
    private WeirRuntime? _runtime;
    private CancellationTokenRegistration _stopping;

    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        var engine = _engine = services.GetRequiredService<JobEngine>();
        var options = services.GetRequiredService<WeirJobsOptions>();
        var needed = options.DrainTimeout + _engine.LongestGrace + Margin;
        if (options.Run && host.Value.ShutdownTimeout < needed && host.Value.ShutdownTimeout != Timeout.InfiniteTimeSpan)
        {
            throw new InvalidOperationException(
                $"The host's shutdown timeout is {host.Value.ShutdownTimeout}, and jobs need {needed}: Weir:Jobs:DrainTimeout ({options.DrainTimeout}), the longest CancelGrace of their pools ({_engine.LongestGrace}) and {Margin.TotalSeconds} s. "
                + $"Raise it, services.Configure<HostOptions>(host => host.ShutdownTimeout = …), or lower DrainTimeout. See {WeirCodes.InvalidOptions}.");
        }

        _runtime = services.GetRequiredService<WeirRuntime>();
        _runtime.WorkerCrashed += _engine.Reports.Add;
        _runtime.Observe(() => ObservedJobs.Begin(engine));
        await _engine.OpenAsync(cancellationToken);
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken)
    {
        // Where there is a server, it starts it, too.
        _runtime?.Start();
        _engine?.Start();
        if (_engine is not null)
        {
            _stopping = lifetime.ApplicationStopping.Register(static engine => ((JobEngine)engine!).BeginDrain(), _engine);
        }

        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        _engine?.BeginDrain();
        return Task.CompletedTask;
    }

    // The server has its own StopAsync: both wait at the same time, because the drain began before.
    public Task StopAsync(CancellationToken cancellationToken) => _engine?.WhenDrainedAsync(cancellationToken) ?? Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        _stopping.Dispose();
        try
        {
            if (_runtime is not null)
            {
                await _runtime.DrainAsync(cancellationToken);
            }
        }
        finally
        {
            if (_engine is not null)
            {
                await _engine.DisposeAsync();
            }
        }
    }
}
