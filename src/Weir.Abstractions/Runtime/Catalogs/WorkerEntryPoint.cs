using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// Whether this program can be its own worker. The generated <c>WeirWorker.TryRun</c>, which the program calls first, asks here; so the
/// host knows that it may start its own executable with <see cref="Switch"/>. May be used concurrently.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class WorkerEntryPoint
{
    /// <summary>The first argument of a process that is to be a worker.</summary>
    public const string Switch = "--weir-worker";

    private static volatile bool _isReached;

    /// <summary>Whether the program has called <c>WeirWorker.TryRun</c>.</summary>
    public static bool IsReached => _isReached;

    /// <summary>Whether a process with these arguments was started as a worker. The call is remembered.</summary>
    /// <param name="args">The arguments of <c>Main</c>.</param>
    public static bool IsWorker(string[] args)
    {
        ArgumentNullException.ThrowIfNull(args);
        _isReached = true;
        return args.Length > 0 && args[0] == Switch;
    }
}
