using System.Runtime.CompilerServices;
using Microsoft.Extensions.Configuration;
using Weir.Worker.Log;

namespace Weir.Worker.Start;

/// <summary>
/// Creates the <see cref="WorkerStartup"/> when a [WorkerServices] method is called: the configuration and the loggers are assemblies of their
/// own, which a worker without such a method does not load.
/// </summary>
/// <param name="pool">The pool of this worker.</param>
/// <param name="configuration">The pairs of HELLO.</param>
/// <param name="loggers">The loggers of this worker.</param>
/// <param name="stopping">Fires when the host drains this worker.</param>
/// <param name="data">What the workers of the pool share; <c>null</c> for nothing.</param>
internal sealed class StartupSource(string pool, IReadOnlyList<KeyValuePair<string, string>> configuration, WorkerLoggers loggers, CancellationToken stopping, SharedDataViews? data = null)
{
    private WorkerStartup? _startup;

    public CancellationToken Stopping => stopping;

    /// <summary>The same for all assemblies of the application. Called on the data thread, before READY.</summary>
    public WorkerStartup Get() => _startup ??= Create();

    // Not inlined: the compiler of a caller would load the assemblies.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private WorkerStartup Create() => new()
    {
        Pool = pool,
        Configuration = new ConfigurationBuilder().AddInMemoryCollection(configuration!).Build(),
        LoggerFactory = loggers.Factory,
        Stopping = stopping,
        SharedDataReader = data is null ? null : data.Read,
    };
}
