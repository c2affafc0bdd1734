using Microsoft.Extensions.DependencyInjection.Extensions;
using Weir;
using Weir.Jobs.Options;
using Weir.Jobs.Payloads;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;
using Weir.Jobs.Storage;
using Weir.Jobs.Testing;
using Weir.Runtime;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers durable jobs for tests.</summary>
public static class WeirJobsTestingServiceCollectionExtensions
{
    /// <summary>
    /// Keeps the jobs of an application under test in memory, and lets none run in the background: <see cref="JobsTesting"/>, which can be injected, finds what was submitted and runs it. Before or after <c>AddWeirJobs</c>, whose
    /// store is not opened then; without it, too. In a host that is started or not, and in a container without a host.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets <see cref="JobsTestingOptions"/>. Several calls are applied in the order of their registration.</param>
    public static IServiceCollection AddWeirJobsTesting(this IServiceCollection services, Action<JobsTestingOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddWeirJobs();
        services.AddSingleton(new JobsTestingConfiguration(configure));
        services.TryAddSingleton(static provider => new JobsTesting(
            provider.GetRequiredService<JobEngine>(),
            provider.GetRequiredService<StoredJobs>(),
            provider.GetRequiredService<JobRecorder>(),
            provider.GetRequiredService<JobArguments>(),
            provider.GetRequiredService<WeirCatalogs>()));
        services.AddSingleton(new JobsConfiguration(
            static jobs =>
            {
                jobs.Run = false;
                jobs.Store = static _ => new MemoryJobStore();
            },
            isLast: true));
        services.Replace(ServiceDescriptor.Singleton(static provider =>
        {
            var mode = JobsTestingConfiguration.Create(provider.GetServices<JobsTestingConfiguration>()).Mode;
            var engine = WeirJobsServiceCollectionExtensions.CreateEngine(provider);
            TestDriver.Attach(engine, provider.GetRequiredService<WeirJobsOptions>(), mode);
            return engine;
        }));
        return services;
    }
}
