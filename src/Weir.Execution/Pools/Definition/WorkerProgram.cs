using System.Globalization;
using Weir.Execution.Processes;

namespace Weir.Execution.Pools.Definition;

/// <summary>The program a pool starts as its workers.</summary>
/// <param name="FileName">Absolute path of the executable.</param>
/// <param name="Arguments">The arguments after the name of the program.</param>
/// <param name="Environment">The whole environment.</param>
internal sealed record WorkerProgram(string FileName, IReadOnlyList<string> Arguments, IReadOnlyDictionary<string, string> Environment)
{
    // The names of their packages, where these differ from the program's own name.
    private static readonly Dictionary<string, string> Packages = new(StringComparer.Ordinal) { ["node"] = "nodejs", ["mono"] = "mono-runtime" };

    /// <summary>A program that must be there when a worker is started; <c>null</c> for one that is part of this application.</summary>
    public string? Interpreter { get; private init; }

    /// <summary>The program that a pool's options ask for.</summary>
    /// <exception cref="LaunchException">The command line cannot be determined.</exception>
    public static WorkerProgram For(string applicationAssembly, PoolOptions options) =>
        options.Command is { } command ? ForCommand(command, options) : ForApplication(applicationAssembly, options);

    /// <summary>A worker of this application, on the application's own dependency graph, or its own executable.</summary>
    /// <param name="applicationAssembly">The simple name of the assembly whose catalogs it loads; its own executable has them.</param>
    /// <param name="options">What its environment is made of.</param>
    /// <exception cref="LaunchException">Its command line cannot be determined.</exception>
    public static WorkerProgram ForApplication(string applicationAssembly, PoolOptions options)
    {
        var command = WorkerCommand.ForThisProcess();
        string[] application = command.LoadsApplication ? ["--app", applicationAssembly] : [];
        string[] host = ["--host", System.Environment.ProcessId.ToString(CultureInfo.InvariantCulture)];
        return new WorkerProgram(command.FileName, [.. command.Arguments, .. application, .. host], WorkerEnvironment.FromThisProcess(options));
    }

    /// <summary>
    /// A worker in another language. It is started through the worker of this application, which binds its lifetime to the host before
    /// it executes the program: not every runtime can do that itself.
    /// </summary>
    /// <param name="program">The program and its arguments.</param>
    /// <param name="options">What its environment is made of.</param>
    /// <exception cref="LaunchException">The worker of this application cannot be found.</exception>
    public static WorkerProgram ForCommand(IReadOnlyList<string> program, PoolOptions options)
    {
        var command = WorkerCommand.ForThisProcess();
        string[] host = ["--host", System.Environment.ProcessId.ToString(CultureInfo.InvariantCulture)];
        return new WorkerProgram(command.FileName, [.. command.Arguments, "exec", .. host, "--", .. program, .. host], WorkerEnvironment.FromThisProcess(options))
        {
            Interpreter = program[0],
        };
    }

    /// <summary>Checks that the program of a worker exists now; it may be installed while the host runs.</summary>
    /// <exception cref="LaunchException">It does not exist.</exception>
    public void Require()
    {
        if (Interpreter is not { } name || name.Contains('/', StringComparison.Ordinal))
        {
            return;
        }

        var path = Environment.GetValueOrDefault("PATH") ?? "";
        if (!path.Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries).Any(folder => File.Exists(Path.Combine(folder, name))))
        {
            throw new LaunchException(
                WeirCodes.ProgramMissing,
                $"Command names '{name}', which is not on the PATH of the host; install it (apt-get install {Packages.GetValueOrDefault(name, name)}), or give its path.");
        }
    }
}
