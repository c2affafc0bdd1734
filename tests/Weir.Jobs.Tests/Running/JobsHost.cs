using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Weir.Jobs.Tests.Running;

/// <summary>An application on the generic host, without a server.</summary>
internal sealed class JobsHost : IAsyncDisposable
{
    private readonly IHost _host;

    private JobsHost(IHost host) => _host = host;

    public Board Board => Get<Board>();

    public IJobs<IReportsClient> Reports => Get<IJobs<IReportsClient>>();

    public IJobs Jobs => Get<IJobs>();

    public static async Task<JobsHost> StartAsync(Action<WeirJobsOptions> configure, Board? board = null, Action<WeirOptions>? weir = null, TimeProvider? time = null, Action<IServiceCollection>? services = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddSingleton(board ?? new Board());
        builder.Services.AddSingleton(time ?? TimeProvider.System);
        builder.Services.AddWeir(weir);
        builder.Services.AddWeirJobs(configure);
        services?.Invoke(builder.Services);
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        var host = new JobsHost(builder.Build());
        await host._host.StartAsync(TestContext.Current.CancellationToken);
        return host;
    }

    public T Get<T>()
        where T : class => _host.Services.GetRequiredService<T>();

    public Task StopAsync() => _host.StopAsync();

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        await ((IAsyncDisposable)_host).DisposeAsync();
    }
}
