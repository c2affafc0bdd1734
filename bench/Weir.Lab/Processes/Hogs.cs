using System.Diagnostics;

namespace Weir.Lab.Processes;

/// <summary>Programs that want a processor each and do nothing with it, as long as this lives.</summary>
internal sealed class Hogs : IDisposable
{
    private readonly Process[] _processes;

    /// <summary>Starts them at a nice level of 0 to 19.</summary>
    public Hogs(int count, int nice = 0) =>
        _processes = [.. Enumerable.Range(0, count).Select(_ => Process.Start(new ProcessStartInfo("nice", ["-n", $"{nice}", "sh", "-c", "while :; do :; done"]))!)];

    /// <summary>What all of them have had of the processors so far.</summary>
    public double CpuSeconds => _processes.Sum(process =>
    {
        process.Refresh();
        return process.TotalProcessorTime.TotalSeconds;
    });

    public void Dispose()
    {
        foreach (var process in _processes)
        {
            process.Kill();
            process.WaitForExit();
            process.Dispose();
        }
    }
}
