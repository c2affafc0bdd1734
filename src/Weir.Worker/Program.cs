using Weir.Worker.Platform;
using Weir.Worker.Start;

namespace Weir.Worker;

/// <summary>
/// <c>dotnet exec --depsfile APP.deps.json --runtimeconfig APP.runtimeconfig.json Weir.Worker.dll --app APP --host PID</c>:
/// a worker on the application's own dependency graph, without running the application's <c>Main</c>. With
/// <c>exec --host PID -- PROGRAM ARGUMENTS…</c> instead: a worker in another language, tied to its host.
/// </summary>
internal static class Program
{
    private static int Main(string[] args)
    {
        // The verb is compared here: the method that takes the arguments apart loads types which no other worker needs.
        if (args is [ProgramArguments.Verb, ..] && ProgramArguments.TryParse(args, out var program))
        {
            return ProgramExec.Become(program);
        }

        if (!WorkerArguments.TryParse(args, out var arguments, out var problem) || arguments.Application is null)
        {
            Console.Error.WriteLine($"{problem ?? "--app is missing"}. Weir.Worker is started by a Weir host: --app <assembly> --host <pid>.");
            return ExitCode.Usage;
        }

        var application = arguments.Application;
        return WorkerMain.Run(arguments, () => ApplicationCatalogs.Load(application));
    }
}
