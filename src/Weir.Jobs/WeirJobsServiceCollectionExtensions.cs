using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Hosting;
using Weir.Jobs.Options;
using Weir.Jobs.Payloads;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;
using Weir.Runtime;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers durable jobs.</summary>
public static class WeirJobsServiceCollectionExtensions
{
    /// <summary>
    /// Lets operations with <see cref="JobAttribute"/> run as jobs: <see cref="IJobs{T}"/> and <see cref="IJobs"/> can be injected, and the host runs what is stored. Besides <c>AddWeir</c>, before or
    /// after it. In an application without a server it starts and drains everything that runs calls, too.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">
    /// Chooses the store, and changes options when the application starts, after the configuration's section <c>Weir:Jobs</c> was read: <c>jobs =&gt; jobs.UseSqlite("jobs.db")</c>. Several calls are applied in the
    /// order of their registration.
    /// </param>
    public static IServiceCollection AddWeirJobs(this IServiceCollection services, Action<WeirJobsOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<OptionSection>(JobsKeys.Section));
        if (configure is not null)
        {
            services.AddSingleton(new JobsConfiguration(configure));
        }

        services.TryAddSingleton(static provider => JobsConfiguration.Create(provider.GetService<IConfiguration>(), provider.GetServices<JobsConfiguration>()));
        services.TryAddSingleton(CreateEngine);
        services.TryAddSingleton<JobArguments>();
        services.TryAddSingleton<StoredJobs>();
        services.TryAddSingleton<IJobs>(static provider => provider.GetRequiredService<StoredJobs>());
        services.TryAddSingleton<JobRecorder>();
        services.TryAddSingleton(typeof(IJobs<>), typeof(RecordedJobs<>));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, JobsHostedService>());
        return services;
    }

    /// <summary>Makes the engine of an application.</summary>
    internal static JobEngine CreateEngine(IServiceProvider provider) => new(
        provider,
        provider.GetRequiredService<WeirJobsOptions>(),
        new JobLog(new QuietLogger((provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger("Weir.Jobs"))),
        provider.GetService<IMeterFactory>());
}
