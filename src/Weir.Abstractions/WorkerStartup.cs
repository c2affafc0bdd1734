using System.Buffers;
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

    /// <summary>
    /// What <see cref="SharedData"/> and <see cref="SharedDataSequence"/> read from: gets a name, and returns its bytes or throws. Weir sets it where the
    /// pool has shared data; a test sets its own. Default <c>null</c>: there is none.
    /// </summary>
    public Func<string, ReadOnlySequence<byte>>? SharedDataReader { get; init; }

    /// <summary>
    /// Bytes that all workers of the pool share: what <c>PoolOptions.AddSharedData</c> added under this name. All workers map one read-only copy, so
    /// writing to it through a pointer ends the process. It is mapped by the first use and stays mapped, and so pinned, while this process lives;
    /// nothing is read before it is accessed. It never changes in a worker: a reload gives new bytes to new workers. May be called concurrently.
    /// </summary>
    /// <param name="name">Its name; case is ignored.</param>
    /// <exception cref="InvalidOperationException">The pool has no such data (the message lists what it has), or it cannot be mapped.</exception>
    /// <exception cref="NotSupportedException">It has more than 2,147,483,647 bytes: use <see cref="SharedDataSequence"/>.</exception>
    public ReadOnlyMemory<byte> SharedData(string name)
    {
        var bytes = SharedDataSequence(name);
        return bytes.IsSingleSegment
            ? bytes.First
            : throw new NotSupportedException($"The shared data '{name}' of pool '{Pool}' has {bytes.Length} bytes, and one memory has at most {int.MaxValue}: read it with {nameof(SharedDataSequence)}(\"{name}\").");
    }

    /// <summary>The same for data of any size: one segment up to 2,147,483,647 bytes, and segments of 1 GB above that.</summary>
    /// <param name="name">Its name; case is ignored.</param>
    /// <exception cref="InvalidOperationException">The pool has no such data (the message lists what it has), or it cannot be mapped.</exception>
    public ReadOnlySequence<byte> SharedDataSequence(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return SharedDataReader is { } reader
            ? reader(name)
            : throw new InvalidOperationException($"Pool '{Pool}' has no shared data: add '{name}' in the host, as in options.Pool(\"{Pool}\").AddSharedData(\"{name}\", path).");
    }
}
