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
    /// <exception cref="InvalidOperationException">The process was started as a worker, but these are not its arguments.</exception>
    public static bool IsWorker(string[] args)
    {
        ArgumentNullException.ThrowIfNull(args);
        _isReached = true;
        return IsWorker(args, Environment.GetCommandLineArgs());
    }

    /// <param name="args">The arguments that the program passed.</param>
    /// <param name="commandLine">The program and its arguments.</param>
    internal static bool IsWorker(string[] args, string[] commandLine)
    {
        var isWorker = args.Length > 0 && args[0] == Switch;

        // A worker that took itself for the application would serve, and start workers of its own.
        return isWorker || commandLine.Length < 2 || commandLine[1] != Switch
            ? isWorker
            : throw new InvalidOperationException($"This process was started as a worker ({Switch}), but the first argument that WeirWorker.TryRun was given is {(args.Length > 0 ? $"'{args[0]}'" : "missing")}. Pass the arguments of Main unchanged: WeirWorker.TryRun(args), with Main(string[] args).");
    }
}
