using System.Diagnostics;

namespace Weir.Lab.Isolation;

/// <summary>The worker program as a command: <c>dotnet x.dll</c>, or <c>mono x.exe</c>.</summary>
public sealed class WorkerProgram
{
    private readonly string _runner;
    private readonly string _path;

    public WorkerProgram(string runner, string path)
    {
        _runner = runner;
        _path = path;
    }

    /// <summary>Starts it with its input and output in our hands.</summary>
    public Process StartPiped(string mode, TaskKind kind) => Process.Start(new ProcessStartInfo(_runner, $"\"{_path}\" {mode} {kind}")
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
        UseShellExecute = false,
    })!;

    /// <summary>Starts it with nothing to do and waits until it has ended.</summary>
    public void RunToEnd()
    {
        using (var process = Process.Start(new ProcessStartInfo(_runner, $"\"{_path}\"") { UseShellExecute = false })!)
            process.WaitForExit();
    }
}
