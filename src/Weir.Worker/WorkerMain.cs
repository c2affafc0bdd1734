using System.Runtime.CompilerServices;
using Weir.Runtime;
using Weir.Worker.Channels;
using Weir.Worker.Platform;
using Weir.Worker.Session;

namespace Weir.Worker;

/// <summary>Runs a worker in this process: opens its channels, and ties it to the host, which is its parent.</summary>
internal static class WorkerMain
{
    /// <summary>Serves calls until the host drains this worker or ends its channels. Runs on the main thread, which stays the data thread.</summary>
    /// <returns>The exit code, if the process does not end before.</returns>
    public static int Run(WorkerArguments arguments, Func<IReadOnlyList<ServiceCatalog>> load)
    {
        // 1. Before anything else: tie this process to the host, so that it dies with it.
        if (!ParentDeath.TieTo(arguments.HostProcessId))
        {
            return ExitCode.ChannelEnded;
        }

        // 2. The channels, which child processes do not inherit.
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

        // 3. The session. Not disposed: that joins threads that wait for the host, and at this point nothing is left to send to it. A worker
        // that ran out of memory would never exit if it joined them, and its caller would wait.
        var session = new WorkerSession(data, control, new ProcessExit(), TimeProvider.System, MappedMemory.TryMap, SharedSignals.Ignore, WarmUp, InheritedData.Open);
        return session.Run(load);
    }

    // Runs the path of a call once: its first use takes as long as the rest of the start. Native code is there from the start.
    private static void WarmUp()
    {
        if (RuntimeFeature.IsDynamicCodeCompiled)
        {
            JitWarmUp.Run();
        }
    }
}
