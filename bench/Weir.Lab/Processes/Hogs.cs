using System.Diagnostics;

namespace Weir.Lab.Processes;

/// <summary>Programs that want a processor each and do nothing with it, as long as this lives.</summary>
internal sealed class Hogs : IDisposable
{
    private readonly Process[] _processes;

    public Hogs(int count) =>
        _processes = [.. Enumerable.Range(0, count).Select(_ => Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "while :; do :; done"]))!)];

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
