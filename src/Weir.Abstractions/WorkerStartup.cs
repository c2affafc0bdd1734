using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;

namespace Weir;

/// <summary>
/// What a <see cref="WorkerServicesAttribute"/> method gets to build the services of a worker from. Weir creates it in each worker; a test
/// of such a method creates its own. Immutable; may be used concurrently.
/// </summary>
public sealed class WorkerStartup
{
    /// <summary>The pool this worker belongs to, as its <c>[Isolated("name")]</c> names it.</summary>
    public required string Pool { get; init; }

    /// <summary>
    /// The host's configuration as it was when this worker started, as far as <c>PoolOptions.InheritedConfiguration</c> lets it through, and
    /// the entries of <c>PoolOptions.Configuration</c>, which override it. It never changes in a worker. At most 1 MB; it came over the private
    /// channel, so it may contain secrets.
    /// </summary>
    public required IConfiguration Configuration { get; init; }

    /// <summary>Loggers whose records appear in the host's log, with the running call's id. Records beyond what the host reads are dropped and counted.</summary>
    public required ILoggerFactory LoggerFactory { get; init; }

    /// <summary>Fires when the host drains this worker; calls that have started still finish. Not fired when the process is killed. Default: a token that never fires.</summary>
    public CancellationToken Stopping { get; init; }
}
