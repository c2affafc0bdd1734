using System.Globalization;

namespace Weir.Execution.Processes;

/// <summary>The program a pool starts as its workers.</summary>
/// <param name="FileName">Absolute path of the executable.</param>
/// <param name="Arguments">The arguments after the name of the program.</param>
/// <param name="Environment">The whole environment.</param>
internal sealed record WorkerProgram(string FileName, IReadOnlyList<string> Arguments, IReadOnlyDictionary<string, string> Environment)
{
    /// <summary>A worker of this application, on the application's own dependency graph.</summary>
    /// <param name="applicationAssembly">The simple name of the assembly whose catalogs it loads.</param>
    /// <exception cref="LaunchException">Its command line cannot be found out.</exception>
    public static WorkerProgram ForApplication(string applicationAssembly)
    {
        var command = WorkerCommand.ForThisProcess();
        string[] own = ["--app", applicationAssembly, "--host", System.Environment.ProcessId.ToString(CultureInfo.InvariantCulture)];
        return new WorkerProgram(command.FileName, [.. command.Arguments, .. own], WorkerEnvironment.FromThisProcess());
    }
}
