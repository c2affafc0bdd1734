using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.Tests.Running;
using Weir.Tests;

namespace Weir.Jobs.Tests.Testing;

/// <summary>An application's services in a test: a container without a host, and a clock that only the test moves.</summary>
internal sealed class TestedJobs : IAsyncDisposable
{
    private readonly ServiceProvider _services;

    public TestedJobs(JobsTestingMode mode = JobsTestingMode.Manual, Action<WeirJobsOptions>? configure = null, Action<WeirOptions>? weir = null, Action<IServiceCollection>? services = null)
    {
        var collection = new ServiceCollection();
        collection.AddSingleton<Board>();
        collection.AddSingleton<TimeProvider>(Time);
        collection.AddWeir(weir);
        collection.AddWeirJobs(configure);
        collection.AddWeirJobsTesting(testing => testing.Mode = mode);
        services?.Invoke(collection);
        _services = collection.BuildServiceProvider();
    }

    public ManualTime Time { get; } = new();

    public JobsTesting Testing => Get<JobsTesting>();

    public IJobs Jobs => Get<IJobs>();

    public IJobs<IReportsClient> Reports => Get<IJobs<IReportsClient>>();

    public IJobs<IErrandsClient> Errands => Get<IJobs<IErrandsClient>>();

    public Board Board => Get<Board>();

    public T Get<T>()
        where T : class => _services.GetRequiredService<T>();

    public ValueTask DisposeAsync() => _services.DisposeAsync();
}
