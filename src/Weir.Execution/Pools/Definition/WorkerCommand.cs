using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Processes;
using Weir.Runtime;

namespace Weir.Execution.Pools.Definition;

/// <summary>
/// How to start a worker. Where the application's assemblies are files and <c>dotnet</c> is installed, on the application's own dependency
/// graph: <c>dotnet exec --depsfile APP.deps.json --runtimeconfig APP.runtimeconfig.json Weir.Worker.dll</c>; the application's
/// <c>Main</c> does not run in it. Everywhere else the application's own executable, whose first line makes it a worker:
/// <c>APP --weir-worker</c>.
/// </summary>
/// <param name="FileName">The dotnet host of the runtime this process runs on, or the application's executable.</param>
/// <param name="Arguments">Up to and including what makes it a worker; the worker's own arguments follow.</param>
/// <param name="LoadsApplication">Whether the worker must be given the name of the application's assembly, because it is another program.</param>
internal sealed record WorkerCommand(string FileName, IReadOnlyList<string> Arguments, bool LoadsApplication)
{
    private const string WorkerAssembly = "Weir.Worker.dll";
    private const string RuntimeAssembly = "System.Private.CoreLib.dll";
    private const string DepsSuffix = ".deps.json";
    private const string Muxer = "dotnet";

    /// <summary>Finds the command; it is the same under an apphost, <c>dotnet app.dll</c>, <c>dotnet run</c> and test hosts.</summary>
    /// <exception cref="LaunchException">
    /// The application is a single file, self-contained or natively compiled, and has not called <c>WeirWorker.TryRun</c>; or a file is missing.
    /// </exception>
    public static WorkerCommand ForThisProcess() => Find(
        AppContext.GetData("APP_CONTEXT_DEPS_FILES") as string,
        AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") as string,
        WorkerEntryPoint.IsReached ? Environment.ProcessPath : null,
        File.Exists);

    /// <param name="depsFiles">Separated by semicolons on every system; the application's own comes first.</param>
    /// <param name="assemblies">Separated by the system's path separator.</param>
    /// <param name="executable">The running program, if it has called <c>WeirWorker.TryRun</c>; otherwise <c>null</c>.</param>
    /// <param name="exists">Whether there is such a file.</param>
    internal static WorkerCommand Find(string? depsFiles, string? assemblies, string? executable, Func<string, bool> exists)
    {
        if (TryFindFiles(depsFiles, assemblies, exists, out var command, out var problem))
        {
            return command;
        }

        // dotnet itself runs every application: it is no application's executable.
        var isMuxer = Path.GetFileNameWithoutExtension(executable.AsSpan()).Equals(Muxer, StringComparison.OrdinalIgnoreCase);
        if (executable is not null && !isMuxer)
        {
            return new WorkerCommand(executable, [WorkerEntryPoint.Switch], LoadsApplication: false);
        }

        var step = executable is null
            ? "Make 'if (WeirWorker.TryRun(args)) return;' the first line of Program.cs, with 'using Weir;': then the application's own executable is its worker"
            : $"The application calls WeirWorker.TryRun, but runs in '{executable}': start its own executable instead, which is then its worker too";
        throw new LaunchException(
            WeirCodes.WorkerCommandUnknown,
            $"The command line of a worker process could not be determined: {problem}. {step}. Or set WeirOptions.RunInline to run isolated operations inside the host, without isolation.");
    }

    private static bool TryFindFiles(
        string? depsFiles, string? assemblies, Func<string, bool> exists, [NotNullWhen(true)] out WorkerCommand? command, [NotNullWhen(false)] out string? problem)
    {
        command = null;

        // 1. The application's dependency graph and run-time configuration.
        var deps = depsFiles?.Split(';', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
        if (deps is null || !deps.EndsWith(DepsSuffix, StringComparison.Ordinal))
        {
            problem = "this process was started without an APP.deps.json, as a self-contained single file or a natively compiled application is";
            return false;
        }

        if (IsOfFramework(deps))
        {
            // The application's own graph is inside its executable.
            problem = "the application is published as a single file, and its assemblies are no files";
            return false;
        }

        var runtimeConfig = deps[..^DepsSuffix.Length] + ".runtimeconfig.json";
        problem = Missing(deps, "publish the application with its .deps.json")
            ?? Missing(runtimeConfig, "publish the application with its .runtimeconfig.json (GenerateRuntimeConfigurationFiles, the default of executables)");
        if (problem is not null)
        {
            return false;
        }

        // 2. The worker's assembly, from the graph this process runs on.
        var worker = PathOf(WorkerAssembly, assemblies);
        problem = worker is null
            ? $"{WorkerAssembly} is not among the application's assemblies; reference Weir.Execution from the application's own project"
            : Missing(worker, "deploy the whole output directory");
        if (problem is not null)
        {
            return false;
        }

        // An image compiled ahead of time is in runtimes/<rid>/lib/…, but dotnet searches all other files relative to the program: so the
        // assembly next to the graph is named, and what is loaded by that name is the image.
        var beside = Path.Combine(Path.GetDirectoryName(deps)!, WorkerAssembly);
        worker = exists(beside) ? beside : worker!;

        // 3. The dotnet host: …/dotnet is three directories above …/shared/Microsoft.NETCore.App/x.y.z/.
        var runtime = Path.GetDirectoryName(PathOf(RuntimeAssembly, assemblies));
        if (runtime is null || runtime == Path.GetDirectoryName(deps))
        {
            problem = "the application is self-contained: it has its own runtime, and no dotnet that could start a worker";
            return false;
        }

        var muxer = Path.GetFullPath(Path.Combine(runtime, "..", "..", "..", OperatingSystem.IsWindows() ? Muxer + ".exe" : Muxer));
        problem = Missing(muxer, "the runtime of this process is not one that an installation of .NET has");
        if (problem is not null)
        {
            return false;
        }

        command = new WorkerCommand(muxer, ["exec", "--depsfile", deps, "--runtimeconfig", runtimeConfig, worker], LoadsApplication: true);
        return true;

        string? Missing(string path, string why) => exists(path) ? null : $"{path} does not exist; {why}";
    }

    // …/shared/NAME/x.y.z/NAME.deps.json. An application may be deployed to …/NAME/x.y.z, too.
    private static bool IsOfFramework(string deps)
    {
        var name = Path.GetDirectoryName(Path.GetDirectoryName(deps));
        return Path.GetFileName(name) == Path.GetFileName(deps)[..^DepsSuffix.Length] && Path.GetFileName(Path.GetDirectoryName(name)) == "shared";
    }

    // There are hundreds of paths, and each pool searches them: only the matching one is copied.
    private static string? PathOf(string assembly, ReadOnlySpan<char> assemblies)
    {
        while (!assemblies.IsEmpty)
        {
            var end = assemblies.IndexOf(Path.PathSeparator);
            var path = end < 0 ? assemblies : assemblies[..end];
            if (Path.GetFileName(path).SequenceEqual(assembly))
            {
                return path.ToString();
            }

            assemblies = end < 0 ? default : assemblies[(end + 1)..];
        }

        return null;
    }
}
