using Weir.Execution.Processes;

namespace Weir.Execution.Pools.Definition;

/// <summary>
/// How to start a worker on the application's own dependency graph:
/// <c>dotnet exec --depsfile APP.deps.json --runtimeconfig APP.runtimeconfig.json Weir.Worker.dll</c>. The application's
/// <c>Main</c> does not run in it.
/// </summary>
/// <param name="FileName">The dotnet host of the runtime this process runs on.</param>
/// <param name="Arguments">Up to and including the worker's assembly; its own arguments follow.</param>
internal sealed record WorkerCommand(string FileName, IReadOnlyList<string> Arguments)
{
    private const string WorkerAssembly = "Weir.Worker.dll";
    private const string RuntimeAssembly = "System.Private.CoreLib.dll";
    private const string DepsSuffix = ".deps.json";

    /// <summary>Finds the command; it is the same under an apphost, <c>dotnet app.dll</c>, <c>dotnet run</c> and test hosts.</summary>
    /// <exception cref="LaunchException">Something is missing: the application is a single file, self-contained or compiled ahead of time.</exception>
    public static WorkerCommand ForThisProcess() =>
        Find(AppContext.GetData("APP_CONTEXT_DEPS_FILES") as string, AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") as string, File.Exists);

    /// <param name="depsFiles">Separated by semicolons on every system; the application's own comes first.</param>
    /// <param name="assemblies">Separated by the system's path separator.</param>
    /// <param name="exists">Whether there is such a file.</param>
    internal static WorkerCommand Find(string? depsFiles, string? assemblies, Func<string, bool> exists)
    {
        // 1. The application's dependency graph and run-time configuration.
        var deps = depsFiles?.Split(';', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
        if (deps is null || !deps.EndsWith(DepsSuffix, StringComparison.Ordinal))
        {
            throw Missing("this process was started without an APP.deps.json, as a self-contained single file or an application compiled ahead of time is; publish it framework-dependent (dotnet publish --no-self-contained)");
        }

        if (IsOfFramework(deps))
        {
            // The application's own graph is inside its executable.
            throw Missing("the application is published as a single file, and a worker needs its assemblies as files; publish it framework-dependent and without PublishSingleFile (dotnet publish --no-self-contained -p:PublishSingleFile=false)");
        }

        var runtimeConfig = deps[..^DepsSuffix.Length] + ".runtimeconfig.json";
        Require(deps, exists, "publish the application with its .deps.json");
        Require(runtimeConfig, exists, "publish the application with its .runtimeconfig.json (GenerateRuntimeConfigurationFiles, the default of executables)");

        // 2. The worker's assembly, from the graph this process runs on.
        var worker = PathOf(WorkerAssembly, assemblies) ?? throw Missing($"{WorkerAssembly} is not among the application's assemblies; reference Weir.Execution from the application's own project");
        Require(worker, exists, "deploy the whole output directory");

        // An image compiled ahead of time is in runtimes/<rid>/lib/…, but dotnet searches all other files relative to the program: so the
        // assembly next to the graph is named, and what is loaded by that name is the image.
        var beside = Path.Combine(Path.GetDirectoryName(deps)!, WorkerAssembly);
        worker = exists(beside) ? beside : worker;

        // 3. The dotnet host: …/dotnet is three directories above …/shared/Microsoft.NETCore.App/x.y.z/.
        var runtime = Path.GetDirectoryName(PathOf(RuntimeAssembly, assemblies)) ?? throw Missing("the runtime's own directory is not known");
        var muxer = Path.GetFullPath(Path.Combine(runtime, "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
        Require(muxer, exists, "the application seems to be self-contained: publish it framework-dependent (dotnet publish --no-self-contained)");

        return new WorkerCommand(muxer, ["exec", "--depsfile", deps, "--runtimeconfig", runtimeConfig, worker]);
    }

    // …/shared/NAME/x.y.z/NAME.deps.json
    private static bool IsOfFramework(string deps) =>
        Path.GetFileName(Path.GetDirectoryName(Path.GetDirectoryName(deps))) == Path.GetFileName(deps)[..^DepsSuffix.Length];

    // There are hundreds of paths, and each pool searches them: only the matching one is copied.
    private static string? PathOf(string assembly, ReadOnlySpan<char> assemblies)
    {
        foreach (var range in assemblies.Split(Path.PathSeparator))
        {
            if (Path.GetFileName(assemblies[range]).SequenceEqual(assembly))
            {
                return assemblies[range].ToString();
            }
        }

        return null;
    }

    private static void Require(string path, Func<string, bool> exists, string nextStep)
    {
        if (!exists(path))
        {
            throw Missing($"{path} does not exist; {nextStep}");
        }
    }

    private static LaunchException Missing(string what) =>
        new(WeirCodes.WorkerCommandUnknown, $"The command line of a worker process could not be determined: {what}. Or set WeirOptions.RunInline to run isolated operations inside the host, without isolation.");
}
