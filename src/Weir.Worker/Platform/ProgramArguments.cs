using System.Diagnostics.CodeAnalysis;

namespace Weir.Worker.Platform;

/// <summary>The command line of a worker written in another language: <c>exec --host PID -- PROGRAM ARGUMENTS…</c>.</summary>
/// <param name="HostProcessId">The process that must be the parent.</param>
/// <param name="Command">The program, a path or a name on the PATH, and its arguments.</param>
internal sealed record ProgramArguments(int HostProcessId, IReadOnlyList<string> Command)
{
    /// <summary>The first argument of such a command line.</summary>
    public const string Verb = "exec";

    public static bool TryParse(string[] args, [NotNullWhen(true)] out ProgramArguments? arguments)
    {
        arguments = args is [Verb, "--host", var host, "--", _, ..]
            && WorkerArguments.TryReadProcessId(host, out var pid)
                ? new ProgramArguments(pid, args[4..])
                : null;
        return arguments is not null;
    }
}
