using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using Weir.Worker;
using Weir.Worker.Platform;

namespace Weir.Runtime;

/// <summary>
/// The worker inside an application's own executable: what the generated <c>WeirWorker.TryRun(args)</c> runs where the host found no
/// <c>Weir.Worker.dll</c> to start, as in a single file or after native compilation.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ApplicationWorker
{
    /// <summary>
    /// Runs this process as a worker and ends it. Called on the main thread, which serves the calls. It never returns: code behind it
    /// would run the application a second time.
    /// </summary>
    /// <param name="args">The arguments of the process, the first of which is <see cref="WorkerEntryPoint.Switch"/>.</param>
    /// <param name="catalogs">Returns the catalogs of the application and of everything it references. Called once, after HELLO.</param>
    [DoesNotReturn]
    public static void Run(string[] args, Func<IReadOnlyList<ServiceCatalog>> catalogs)
    {
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(catalogs);
        Environment.Exit(Serve(args[1..], catalogs));
    }

    private static int Serve(string[] args, Func<IReadOnlyList<ServiceCatalog>> catalogs)
    {
        if (ProgramArguments.TryParse(args, out var program))
        {
            return ProgramExec.Become(program);
        }

        if (WorkerArguments.TryParse(args, out var arguments, out var problem))
        {
            return WorkerMain.Run(arguments, catalogs);
        }

        Console.Error.WriteLine($"{problem}. {WorkerEntryPoint.Switch} is for a Weir host, which starts this program with it: {WorkerEntryPoint.Switch} --host <pid>.");
        return ExitCode.Usage;
    }
}
