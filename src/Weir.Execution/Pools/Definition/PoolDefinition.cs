using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Processes;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Definition;

/// <summary>Everything about a pool that does not change. May be used concurrently.</summary>
internal sealed record PoolDefinition
{
    public required string Name { get; init; }

    /// <summary>A copy, validated.</summary>
    public required PoolOptions Options { get; init; }

    public required WorkerProgram Program { get; init; }

    /// <summary>Creates the program for other options; <c>null</c> if it is always the same.</summary>
    public Func<PoolOptions, WorkerProgram>? Describe { get; init; }

    public required IWorkerLauncher Launcher { get; init; }

    /// <summary>What is applied to every worker.</summary>
    public WorkerLimits Limits { get; init; } = WorkerLimits.None;

    /// <summary>The operations that run in this pool.</summary>
    public required IReadOnlyList<Operation> Operations { get; init; }

    /// <summary>The catalogs that the workers must have loaded; empty accepts any.</summary>
    public string CatalogIdentity { get; init; } = "";

    /// <summary>The configuration of the host that its workers inherit; <c>null</c> when they have no use for it.</summary>
    public IConfiguration? HostConfiguration { get; init; }

    public required ILoggerFactory Loggers { get; init; }

    public required TimeProvider Time { get; init; }

    /// <summary>How many workers start at the same time: as many as can make progress.</summary>
    public int MostStarting { get; init; } = Math.Max(1, Environment.ProcessorCount);

    /// <summary>Where its workers wait for their turn to start, together with those of the host's other pools; <c>null</c> if they do not wait.</summary>
    public StartThrottle? Starts { get; init; }

    /// <summary>Counts what happens in the pool.</summary>
    public WeirMeter Meter { get; init; } = WeirMeter.Shared;

    /// <summary>Called for each crash report, after <see cref="PoolOptions.OnCrash"/>; <c>null</c> for nothing.</summary>
    public Action<CrashReport>? Crashed { get; init; }

    /// <summary>Keeps what happens to its workers; <c>null</c> in a pool without an application.</summary>
    public WorkerObserver? Observer { get; init; }

    /// <summary>The pool's part of the host's capacity; <c>null</c> if only the pool's maximum limits its workers.</summary>
    public PoolCapacity? Capacity { get; init; }

    /// <summary>What its workers share; <c>null</c> for nothing.</summary>
    public SharedDataSet? SharedData { get; init; }

    /// <summary>Makes what the workers share with other options, read after a stamp of the store; <c>null</c> where there is never any.</summary>
    public Func<PoolOptions, long, SharedDataSet?>? Share { get; init; }

    /// <summary>Begins a reload of what the workers share; <c>null</c> where there is never any.</summary>
    public Func<long>? NextStamp { get; init; }

    /// <summary>The log category of the pool and of its workers' output.</summary>
    public string LogCategory => $"Weir.Workers.{Name}";

    /// <summary>The settings that the decisions use.</summary>
    public PoolSettings Settings => new()
    {
        MinWorkers = Options.MinWorkers,
        MaxWorkers = Options.MaxWorkers,
        QueueLimit = Options.QueueLimit,
        IdleTimeout = Options.IdleTimeout,
        CancelGrace = Options.CancelGrace,
        RestartBudget = Options.RestartBudget,
        MostStarting = MostStarting,
        Concurrency = Options.Concurrency,
        Standby = Options.StandbyWorkers,
        MostTasks = Options.MaxCallsPerWorker,
        MostAge = Options.MaxWorkerAge,
        SoftMemoryBytes = Options.MemorySoftLimitBytes,
        MostRetries = Options.MaxRetries,
        QuarantineKills = Options.QuarantineKills,
        QuarantineTime = Options.QuarantineTime,
        StallTimeout = Options.SilenceTimeout,
    };

    /// <summary>The same pool, whose workers are started with other options.</summary>
    /// <param name="options">A copy, validated.</param>
    /// <param name="stamp">What the workers share is read again, unless it was after this stamp.</param>
    /// <exception cref="LaunchException">A limit cannot be applied, or the configuration of its workers is too large.</exception>
    public PoolDefinition For(PoolOptions options, long stamp)
    {
        WorkerConfiguration.From(HostConfiguration, options);
        return this with
        {
            Options = options,
            Program = Describe?.Invoke(options) ?? Program,
            Limits = Launcher.Prepare(options),
            SharedData = Share?.Invoke(options, stamp),
        };
    }

    /// <summary>The capabilities that its workers may choose.</summary>
    public Capabilities Offer(bool hasSharedMemory) =>
        Capabilities.CallContext
        | Capabilities.Stack
        | (hasSharedMemory ? Capabilities.SharedMemory : Capabilities.None)
        | (Options.Concurrency > 1 ? Capabilities.Concurrent : Capabilities.None)
        | (Operations.Any(static operation => operation.StreamsRequest) ? Capabilities.RequestStreams : Capabilities.None)
        | (Operations.Any(static operation => operation.UsesContext || operation.Service.IsForeign || operation.ResultKind == ResultKind.Raw) ? Capabilities.ResponseHeads : Capabilities.None)
        | (Operations.Any(static operation => operation.Job is not null) ? Capabilities.Progress : Capabilities.None)
        | (Operations.Any(static operation => operation.HasContent) ? Capabilities.Content : Capabilities.None)
        | (Options.SendsCaller && Operations.Any(static operation => operation.UsesCaller || operation.Service.IsForeign) ? Capabilities.Caller : Capabilities.None)
        | (SharedData is not null ? Capabilities.SharedData : Capabilities.None);

    /// <summary>The first frame of a worker, with the configuration as it is now: reads the host's configuration, whose providers are the user's code.</summary>
    /// <exception cref="LaunchException">The configuration is too large.</exception>
    public HelloPayload Hello(LogLevel leastLevel, Capabilities offered) => new()
    {
        Capabilities = offered,
        MostPayload = Options.PayloadLimitBytes,
        LeastLogLevel = (byte)leastLevel,
        CatalogIdentity = CatalogIdentity,
        Pool = Name,
        Configuration = WorkerConfiguration.From(HostConfiguration, Options),
        WarmUp = Options.WarmUp,
        CallsAtATime = Options.Concurrency,
        SharedData = SharedData?.Entries ?? [],
    };
}
