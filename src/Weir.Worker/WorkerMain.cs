using Weir.Runtime;
using Weir.Worker.Channels;
using Weir.Worker.Platform;
using Weir.Worker.Session;

namespace Weir.Worker;

/// <summary>A worker with this process around it: its channels, and the host as its parent.</summary>
internal static class WorkerMain
{
    /// <summary>Serves calls until the host lets this worker go. Runs on the process's main thread, which stays the data thread.</summary>
    /// <returns>The exit code, where the process does not end by itself.</returns>
    public static int Run(WorkerArguments arguments, Func<IReadOnlyList<ServiceCatalog>> load)
    {
        // 1. Before anything else: die with the host.
        if (!ParentDeath.TieTo(arguments.HostProcessId))
        {
            return ExitCode.ChannelEnded;
        }

        // 2. The channels, closed to grandchildren.
        IChannel data, control;
        try
        {
            (data, control) = WorkerChannels.Open(arguments);
        }
        catch (InvalidOperationException notAWorker)
        {
            Console.Error.WriteLine(notAWorker.Message);
            return ExitCode.Usage;
        }

        // 3. Whatever the host asks for. Not disposed: that joins threads which wait for the host, and whoever is here has nothing to
        // say to it any more. A worker without memory that came here would stay for ever, and its caller would wait.
        var session = new WorkerSession(data, control, new ProcessExit(), TimeProvider.System, SharedMemory.TryMap, Prepare);
        return session.Run(load);
    }

    // Signals meant for the host are left to it, and the way of a call is gone once: its first use takes as long as all else here.
    private static void Prepare()
    {
        SharedSignals.Ignore();
        JitWarmUp.Run();
    }
}
