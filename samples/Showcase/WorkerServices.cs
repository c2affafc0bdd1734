using Weir;

namespace Showcase;

/// <summary>What isolated classes are given inside a worker; only workers whose classes ask for services, or for the context of the call, build this.</summary>
internal static class WorkerServices
{
    /// <summary>The name under which the pool's options hand over the file of the shared counts.</summary>
    internal const string Producers = "producers";

    [WorkerServices]
    internal static void Configure(IServiceCollection services, WorkerStartup startup) => services
        .AddSingleton(TimeProvider.System)
        .AddSingleton<IForecastSource, Almanac>()
        .AddSingleton(_ => ProducerCounts.Open(startup.Configuration[Producers]!));
}
