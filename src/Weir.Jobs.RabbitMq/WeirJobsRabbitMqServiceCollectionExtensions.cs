using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir;
using Weir.Jobs.RabbitMq.Diagnostics;
using Weir.Jobs.RabbitMq.Hosting;
using Weir.Jobs.RabbitMq.Intakes;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers intakes of jobs from RabbitMQ.</summary>
public static class WeirJobsRabbitMqServiceCollectionExtensions
{
    /// <summary>
    /// Takes the messages of a queue as jobs: stored before they are acknowledged, and run as jobs that were submitted in code are. Besides <c>AddWeirJobs</c>, which chooses the store, before or after it. Each call adds one queue. It begins when the application
    /// has started, and not where <see cref="WeirJobsOptions.Accept"/> is <c>false</c> or <c>AddWeirJobsTesting</c> replaces the store.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets the broker, the queue and the exchange of dead letters: <c>options.Uri</c>, <c>options.Queue</c>, <c>options.DeadLetterExchange</c>.</param>
    public static IServiceCollection AddWeirJobsRabbitMq(this IServiceCollection services, Action<RabbitMqIntakeOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddWeirJobs();
        services.AddSingleton(new IntakeConfiguration(configure));
        services.TryAddSingleton(static provider => new IntakeSet(
            provider.GetServices<IntakeConfiguration>(),
            provider.GetRequiredService<JobEngine>(),
            provider.GetRequiredService<JobRecorder>(),
            new IntakeLog((provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger("Weir.Jobs.RabbitMq")),
            new IntakeMeter(provider.GetService<IMeterFactory>())));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, IntakeHostedService>());
        return services;
    }
}
