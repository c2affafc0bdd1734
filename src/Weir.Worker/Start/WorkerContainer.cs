using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.Runtime;

namespace Weir.Worker.Start;

/// <summary>
/// The container of a [WorkerServices] method that registers services: configuration, options and loggers are there before it runs, as in the
/// host. A class of its own, so that only workers that use it load the container's assemblies.
/// </summary>
internal static class WorkerContainer
{
    // Scopes are validated in every environment: an instance that keeps a scoped service, and with it one call's data, beyond the call fails the
    // start. The registrations as a whole are not: one instance of each isolated class is created before READY in any case.
    private static readonly ServiceProviderOptions Options = new() { ValidateScopes = true };

    /// <param name="catalog">Has the method.</param>
    /// <param name="startup">What the method gets.</param>
    /// <param name="more">Registers more, and in its place; <c>null</c> in a worker.</param>
    public static IServiceProvider Build(ServiceCatalog catalog, WorkerStartup startup, Action<IServiceCollection>? more = null)
    {
        var services = new ServiceCollection();
        services.AddSingleton(startup.Configuration);
        services.AddOptions();
        services.AddLogging(logging => logging.SetMinimumLevel(LogLevel.Trace).AddProvider(new HostLoggers(startup.LoggerFactory)));
        catalog.ConfigureWorkerServices(services, startup);
        more?.Invoke(services);
        return services.BuildServiceProvider(Options);
    }

    /// <summary>Lets the loggers of a container that the application built write into the host's log too: after <c>AddLogging()</c> alone they write nowhere.</summary>
    public static IServiceProvider? WithLog(IServiceProvider? services, WorkerStartup startup)
    {
        if (services?.GetService(typeof(ILoggerFactory)) is LoggerFactory factory)
        {
            factory.AddProvider(new HostLoggers(startup.LoggerFactory));
        }

        return services;
    }

    // The host decides which level is sent. Another provider, or a filter, may be added beside it.
    private sealed class HostLoggers(ILoggerFactory loggers) : ILoggerProvider
    {
        public ILogger CreateLogger(string categoryName) => loggers.CreateLogger(categoryName);

        public void Dispose()
        {
        }
    }
}
