using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>What a worker of the lab was given when it started.</summary>
public sealed class WorkerConfiguration
{
    private readonly IConfiguration _values;

    private WorkerConfiguration(IConfiguration values) => _values = values;

    /// <summary>A value, or nothing.</summary>
    public string this[string key] => _values[key] ?? "";

    /// <summary>All that services of the lab need, in the container that applications have.</summary>
    [WorkerServices]
    internal static IServiceProvider Create(WorkerStartup startup) => new ServiceCollection()
        .AddSingleton(new WorkerConfiguration(startup.Configuration))
        .AddSingleton(startup)
        .AddSingleton<Wax>()
        .AddTransient<Seal>()
        .BuildServiceProvider();
}
