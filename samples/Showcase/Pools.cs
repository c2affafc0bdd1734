using Weir;

namespace Showcase;

/// <summary>The pools, each for work of its own kind.</summary>
internal static class Pools
{
    /// <summary>Where reports are built.</summary>
    internal const string Reports = "reports";

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

        // One process for all reports, so that it is known which one Reports/Crash kills; as often as a person likes.
        var reports = weir.Pool(Reports);
        reports.MinWorkers = 0;
        reports.MaxWorkers = 1;
        reports.Concurrency = 4;
        reports.QuarantineKills = 0;

        // In other languages: none is started before its first call, and the showcase runs where they are not installed.
        Foreign(weir.Pool("node"), "node", "hash.js");
        Foreign(weir.Pool("python"), "python3", "hash.py");
    }

    private static void Foreign(PoolOptions pool, string program, string script)
    {
        pool.MinWorkers = 0;
        pool.Command = [program, Path.Combine(AppContext.BaseDirectory, "Workers", script)];
    }
}
