using Weir.Runtime;
using Weir.Worker.Platform;

namespace Weir.Worker;

/// <summary>
/// Lets an application be its own worker: needed where there is no <c>Weir.Worker.dll</c> to start, as in a single file
/// or after ahead-of-time compilation. The generated <c>WeirWorker.TryRun(args)</c> calls this.
/// </summary>
public static class WeirWorker
{
    /// <summary>The first argument of a process that is to be a worker.</summary>
    public const string Switch = "--weir-worker";

    /// <summary>Runs this process as a worker if it was started as one. Call it first in <c>Main</c>.</summary>
    /// <param name="args">The arguments of <c>Main</c>.</param>
    /// <param name="catalogs">The catalogs of the application and of everything it references.</param>
    /// <returns><c>false</c> at once when this process is no worker; <c>true</c> when it was one and has ended: return from <c>Main</c>.</returns>
    public static bool TryRun(string[] args, IReadOnlyList<ServiceCatalog> catalogs)
    {
        ArgumentNullException.ThrowIfNull(args);
        if (args.Length == 0 || args[0] != Switch)
        {
            return false;
        }

        if (!WorkerArguments.TryParse(args.AsSpan(1), out var arguments, out var problem))
        {
            Console.Error.WriteLine($"{problem}. {Switch} is for a Weir host: {Switch} --host <pid>.");
            Environment.ExitCode = ExitCode.Usage;
            return true;
        }

        Environment.ExitCode = WorkerMain.Run(arguments, () => catalogs);
        return true;
    }
}
