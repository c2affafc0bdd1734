using Weir.Protocol.Payloads;
using Weir.Worker.Channels;
using Weir.Worker.Log;
using Weir.Worker.Platform;
using Weir.Worker.Start;

namespace Weir.Worker.Session;

/// <summary>The orderly end after DRAIN: on a thread of its own, since disposing services is the user's code.</summary>
internal sealed class ShutdownSequence(DataSendQueue data, ControlSendQueue control, FatalExit fatal, IProcessExit process) : IDisposable
{
    /// <summary>How long the host may take to read BYE; it kills the worker at the end of its own patience.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly CancellationTokenSource _stopping = new();
    private Thread? _thread;
    private WorkerTable? _table;
    private WorkerLoggers? _loggers;

    /// <summary>Fires when draining begins.</summary>
    public CancellationToken Stopping => _stopping.Token;

    /// <summary>What there will be to dispose. Said before READY.</summary>
    public void Attach(WorkerTable table, WorkerLoggers loggers)
    {
        _table = table;
        _loggers = loggers;
    }

    /// <summary>DRAIN was read. The callbacks run on the thread pool.</summary>
    public void Begin() => _ = _stopping.CancelAsync();

    /// <summary>No call runs any more.</summary>
    public void Leave()
    {
        _thread = new Thread(Run) { Name = "weir-departure", IsBackground = true };
        _thread.UnsafeStart();
    }

    /// <summary>Waits for the end of a departure that has begun.</summary>
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

        // BYE counts only after the data channel's end, so that comes first.
        data.End();
        control.Finish(new ByePayload(ByeReason.Drained, ""), Patience);
        process.Leave(ExitCode.Drained);
    }
}
