using Weir.Protocol.Payloads;
using Weir.Worker.Channels;
using Weir.Worker.Log;
using Weir.Worker.Platform;
using Weir.Worker.Start;

namespace Weir.Worker.Session;

/// <summary>The orderly shutdown after DRAIN: on its own thread, because disposing services runs user code.</summary>
internal sealed class ShutdownSequence(DataOutput data, ControlOutput control, FatalExit fatal, IProcessExit process) : IDisposable
{
    /// <summary>How long the host may take to read BYE. The host kills the worker when the host's own limit has passed.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly CancellationTokenSource _stopping = new();
    private Thread? _thread;
    private WorkerTable? _table;
    private WorkerLoggers? _loggers;

    /// <summary>Fires when draining begins.</summary>
    public CancellationToken Stopping => _stopping.Token;

    /// <summary>Sets what will be disposed. Called before READY is sent.</summary>
    public void Attach(WorkerTable table, WorkerLoggers loggers)
    {
        _table = table;
        _loggers = loggers;
    }

    /// <summary>Called when DRAIN was read. The callbacks on <see cref="Stopping"/> run on the thread pool.</summary>
    public void Begin() => _ = _stopping.CancelAsync();

    /// <summary>Starts the shutdown; called when no call runs any more.</summary>
    public void Start()
    {
        _thread = new Thread(Run) { Name = "weir-shutdown", IsBackground = true };
        _thread.UnsafeStart();
    }

    /// <summary>Waits until a shutdown that has begun is complete.</summary>
    public void Wait() => _thread?.Join();

    public void Dispose() => _stopping.Dispose();

    private void Run()
    {
        foreach (var services in _table!.Hosts.Select(h => h.Services).Distinct())
        {
            try
            {
                services.DisposeAsync().AsTask().GetAwaiter().GetResult();
            }
            catch (Exception thrown)
            {
                WorkerLogMessages.ServicesDisposeFailed(_loggers!.Own, thrown, services.AssemblyName);
            }
        }

        if (!fatal.Begin())
        {
            return;
        }

        // BYE is valid only after the end of the data channel, so the data channel ends first.
        data.End();
        control.Finish(new ByePayload(ByeReason.Drained, ""), Patience);
        process.Exit(ExitCode.Drained);
    }
}
