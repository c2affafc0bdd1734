using Microsoft.Extensions.Logging;
using Weir.Worker.Log;

namespace Weir;

/// <summary>What a <see cref="WorkerServicesAttribute"/> method gets to build the services of a worker from. Immutable; may be used concurrently.</summary>
public sealed class WorkerStartup
{
    private readonly WorkerLoggers _loggers;

    internal WorkerStartup(string pool, IReadOnlyDictionary<string, string> configuration, WorkerLoggers loggers, CancellationToken stopping)
    {
        Pool = pool;
        Configuration = configuration;
        _loggers = loggers;
        Stopping = stopping;
    }

    /// <summary>The pool this worker belongs to.</summary>
    public string Pool { get; }

    /// <summary>The configuration chosen in the pool's options; keys ignore case. It came over the private channel, so it may hold secrets.</summary>
    public IReadOnlyDictionary<string, string> Configuration { get; }

    /// <summary>Loggers whose records appear in the host's log, with the running call's id. Records beyond what the host reads are dropped and counted.</summary>
    public ILoggerFactory LoggerFactory => _loggers.Factory;

    /// <summary>Fires when the host drains this worker; calls that have started still finish. Not fired when the process is killed.</summary>
    public CancellationToken Stopping { get; }
}
