using Microsoft.Extensions.Logging;
using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>Everything about a pool that does not change. May be used concurrently.</summary>
internal sealed class PoolSpec
{
    public required string Name { get; init; }

    /// <summary>A copy, validated.</summary>
    public required PoolOptions Options { get; init; }

    public required WorkerProgram Program { get; init; }

    public required IWorkerLauncher Launcher { get; init; }

    /// <summary>The operations that run in this pool.</summary>
    public required IReadOnlyList<Operation> Operations { get; init; }

    /// <summary>What the workers must have loaded; empty accepts any.</summary>
    public string CatalogIdentity { get; init; } = "";

    public required ILoggerFactory Loggers { get; init; }

    public required TimeProvider Time { get; init; }

    /// <summary>How many workers start at the same time: as many as can make progress.</summary>
    public int MostStarting { get; init; } = Math.Max(1, Environment.ProcessorCount);

    /// <summary>Where the host lends the pool room for its workers.</summary>
    public IWorkerRoom Room { get; init; } = EndlessRoom.Instance;

    /// <summary>The category of everything the pool and its workers' output say.</summary>
    public string LogCategory => $"Weir.Workers.{Name}";

    /// <summary>What the decisions stand on.</summary>
    public PoolSettings Settings => new()
    {
        MinWorkers = Options.MinWorkers,
        MaxWorkers = Options.MaxWorkers,
        QueueLimit = Options.QueueLimit,
        IdleTimeout = Options.IdleTimeout,
        CancelGrace = Options.CancelGrace,
        RestartBudget = Options.RestartBudget,
        MostStarting = MostStarting,
    };

    public HelloPayload Hello(LogLevel leastLevel, Capabilities offered) => new()
    {
        Capabilities = offered,
        MostPayload = Options.PayloadLimitBytes,
        LeastLogLevel = (byte)leastLevel,
        CatalogIdentity = CatalogIdentity,
        Pool = Name,
        Configuration = [.. Options.Configuration],
    };
}
