using Weir.Execution;

namespace Showcase;

/// <summary>The three pools, each for work of its own kind.</summary>
internal static class Pools
{
    internal static void Configure(WeirOptions weir, ProducerCounts producers)
    {
        var hashing = weir.Pool("hashing");
        hashing.MinWorkers = 2;
        hashing.MaxWorkers = 5;
        hashing.IdleTimeout = TimeSpan.FromSeconds(3);

        var neighbours = weir.Pool("neighbours");
        neighbours.MinWorkers = 1;
        neighbours.MaxWorkers = 2;
        neighbours.MemoryLimitBytes = 256L << 20;
        neighbours.CancelGrace = TimeSpan.FromSeconds(1);

        var weather = weir.Pool("weather");
        weather.MaxWorkers = 4;

        // The streams' workers count their producers together with the host.
        weather.Configuration[WorkerServices.Producers] = producers.Path;
    }
}
