using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Jobs.RabbitMq.Intakes;

namespace Weir.Jobs.RabbitMq.Hosting;

/// <summary>Takes messages while the application runs. The store is open before, and is closed after all services have stopped.</summary>
internal sealed class IntakeHostedService(IServiceProvider services, IHostApplicationLifetime lifetime) : IHostedLifecycleService
{
    // Taken at start: an application that runs in a test host may dispose of its services while the host still stops.
    private IntakeSet? _intakes;
    private CancellationTokenRegistration _stopping;

    public Task StartingAsync(CancellationToken cancellationToken)
    {
        _intakes = services.GetRequiredService<IntakeSet>();
        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken)
    {
        _intakes?.Begin();
        _stopping = lifetime.ApplicationStopping.Register(static intakes => ((IntakeSet?)intakes)?.BeginDrain(), _intakes);
        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        _intakes?.BeginDrain();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => _intakes?.WhenDrainedAsync(cancellationToken) ?? Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        _stopping.Dispose();
        return Task.CompletedTask;
    }
}
