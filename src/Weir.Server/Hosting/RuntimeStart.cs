using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Execution;

namespace Weir.Server.Hosting;

/// <summary>Starts what runs calls together with the host. The container ends it, after the server has stopped.</summary>
internal sealed class RuntimeStart(IServiceProvider services) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken)
    {
        services.GetService<WeirRuntime>()?.Start();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
