using OpenTelemetry.Trace;
using Weir;

namespace SecureApi.Setup;

/// <summary>The container of a worker. The section <c>Weir</c> of appsettings.json lists what it inherits: the key that signs tokens is not among it.</summary>
internal static class WorkerSetup
{
    [WorkerServices]
    internal static IServiceProvider Create(WorkerStartup startup)
    {
        var services = new ServiceCollection().AddSingleton(startup.Configuration).AddLogging();
        services.AddWorkerTelemetry(startup.Configuration);
        var provider = services.BuildServiceProvider();

        // In the host a hosted service makes it. It is disposed with the container, and exports the last spans then.
        provider.GetRequiredService<TracerProvider>();
        return provider;
    }
}
