using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>Reads a .NET worker with the dump tool of its runtime.</summary>
/// <param name="processId">The worker.</param>
/// <param name="pidfd">The same.</param>
/// <param name="tryHold">Keeps the worker from being reaped, so that its process id stays its own; <c>false</c> when it was reaped already.</param>
/// <param name="release">The opposite.</param>
internal sealed class LinuxInspection(int processId, Descriptor pidfd, Func<bool> tryHold, Action release) : WorkerInspection
{
    // The tool writes one of 90 KB for 17 threads; 1,000 threads fit.
    private const int MostReport = 16 << 20;

    // At most two: one for stacks, one for the dump.
    private readonly List<DumpTool> _tools = [];
    private MemoryFolder? _folder;

    public override byte[]? ReadStacks(Patience patience)
    {
        _folder = MemoryFolder.TryCreate();
        if (_folder is null)
        {
            return null;
        }

        // The tool adds the rest of the name.
        var name = Path.Combine(_folder.FullPath, "stacks");
        var file = new FileInfo(name + ".crashreport.json");
        return Run(patience, "--crashreportonly", "--name", name) && file is { Exists: true, Length: <= MostReport } ? File.ReadAllBytes(file.FullName) : null;
    }

    // %% is how the tool writes a percent sign.
    public override bool WriteDump(string path, Patience patience) =>
        Run(patience, "--normal", "--name", path.Replace("%", "%%", StringComparison.Ordinal)) && File.Exists(path);

    public override void Dispose()
    {
        foreach (var tool in _tools)
        {
            tool.Dispose();
        }

        _folder?.Dispose();
    }

    private bool Run(Patience patience, params string[] options)
    {
        if (!tryHold())
        {
            return false;
        }

        try
        {
            if (DumpTool.TryStart([.. options, processId.ToString(CultureInfo.InvariantCulture)]) is not { } tool)
            {
                return false;
            }

            _tools.Add(tool);
            return tool.Wait(pidfd, patience);
        }
        finally
        {
            release();
        }
    }
}
