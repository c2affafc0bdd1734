using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Worker.Calls;
using Weir.Worker.Channels;
using Weir.Worker.Log;
using Weir.Worker.Platform;
using Weir.Worker.Start;

namespace Weir.Worker.Session;

/// <summary>
/// The session of a worker on its two channels: HELLO, services, READY, calls, DRAIN, BYE. It knows no descriptors and does not
/// end the process itself.
/// </summary>
/// <remarks>
/// Threads: the one that calls <see cref="Run"/> becomes the data thread; <c>weir-control</c> reads control from HELLO on;
/// <c>weir-control-out</c> exists while the host reads too slowly, <c>weir-shutdown</c> after a drain. They end with the channels.
/// </remarks>
internal sealed class WorkerSession : IDisposable
{
    private readonly WorkerRingChannel _data;
    private readonly IProcessExit _process;
    private readonly TimeProvider _time;
    private readonly Func<nint> _mapSharedMemory;
    private readonly Func<HelloPayload, SharedDataViews?>? _share;
    private readonly Action _prepare;
    private readonly Action _warmUp;
    private readonly CallTable _calls;
    private readonly DataOutput _dataOutput;
    private readonly ControlOutput _controlOutput;
    private readonly FatalExit _fatal;
    private readonly ShutdownSequence _shutdown;
    private readonly FrameSource _controlInput;
    private readonly ControlLoop _control;
    private readonly Thread _controlThread;

    // The two threads of startup wait for each other on it.
    private readonly object _gate = new();
    private bool _isPrepared;
    private bool _hasHello;

    /// <param name="data">The data channel.</param>
    /// <param name="control">The control channel.</param>
    /// <param name="process">Ends this process.</param>
    /// <param name="time">The clock.</param>
    /// <param name="mapSharedMemory">Returns the address of the shared memory; called only if the host has offered it. 0 for none.</param>
    /// <param name="prepare">Runs before READY on the control thread, in parallel, and does not need HELLO. Must not throw, nor run user code.</param>
    /// <param name="warmUp">Runs after it on the same thread, and READY does not wait for it: control frames do. Must not throw, nor run user code.</param>
    /// <param name="share">Returns what the workers of the pool share; called before user code runs. <c>null</c> for nothing.</param>
    public WorkerSession(IChannel data, IChannel control, IProcessExit process, TimeProvider time, Func<nint> mapSharedMemory, Action prepare, Action warmUp, Func<HelloPayload, SharedDataViews?>? share = null)
    {
        _prepare = prepare;
        _share = share;
        _warmUp = warmUp;
        _controlThread = new Thread(ReadControl) { Name = "weir-control", IsBackground = true };
        _mapSharedMemory = mapSharedMemory;
        _calls = new CallTable(time);
        _data = new WorkerRingChannel(data);
        _process = process;
        _time = time;
        _dataOutput = new DataOutput(_data, time);
        _fatal = new FatalExit(_dataOutput, process);
        _controlOutput = new ControlOutput(control, _fatal.HostGone);
        _fatal.Control = _controlOutput;
        _shutdown = new ShutdownSequence(_dataOutput, _controlOutput, _fatal, process);

        // No buffer of the array pool before READY: its first use in a process makes the runtime load its compiler. Here the warm-up is the first.
        _controlInput = new FrameSource(control, FrameRoute.ControlDown, new byte[FrameReader.FirstSize]);
        _control = new ControlLoop(_controlInput, _controlOutput, _calls, _dataOutput, _shutdown.Begin, _shutdown.Start);
    }

    /// <summary>Runs the session. Called once, on the thread that becomes the data thread.</summary>
    /// <param name="load">Loads the application's catalogs; called after HELLO.</param>
    /// <returns>The exit code, if the process does not end before.</returns>
    public int Run(Func<IReadOnlyList<ServiceCatalog>> load)
    {
        _controlThread.UnsafeStart();
        try
        {
            return Serve(ReadHello(), load);
        }
        catch (ChannelEndedException)
        {
            _fatal.HostGone();
            return ExitCode.ChannelEnded;
        }
        catch (FrameException violation)
        {
            _fatal.HostBroke(violation);
            return ExitCode.ProtocolViolation;
        }
    }

    /// <summary>Joins the threads, if the process has not ended before; the channels have ended.</summary>
    public void Dispose()
    {
        _controlThread.Join();
        _controlOutput.Dispose();
        _controlInput.Dispose();
        _shutdown.Dispose();
    }

    // 1. Build. 2. READY. 3. Calls until the channel ends. 4. Wait for the shutdown, if it has begun.
    private int Serve(HelloPayload hello, Func<IReadOnlyList<ServiceCatalog>> load)
    {
        var loggers = new WorkerLoggers(_controlOutput, hello.LeastLogLevel);
        WorkerTable table;
        Capabilities agreed;
        try
        {
            var startup = new StartupSource(hello.Pool, hello.Configuration, loggers, _shutdown.Stopping, _share?.Invoke(hello));
            table = StartSequence.Run(hello, load, startup, out var identity);
            agreed = SendReady(hello, table, loggers, identity);
        }
        catch (StartException failure)
        {
            return Fail(failure.Phase, failure.InnerException!);
        }
        catch (PayloadTooLongException tooManyOperations)
        {
            return Fail("send READY", tooManyOperations);
        }

        var environment = new CallServices(_dataOutput, _calls, _fatal, _time, loggers, HasLoggers(table))
        {
            SendsHeads = agreed.HasFlag(Capabilities.ResponseHeads),
            Progress = agreed.HasFlag(Capabilities.Progress) ? _controlOutput : null,
        };
        using var input = new FrameSource(_data, FrameRoute.DataDown);
        new DataLoop(input, table, environment, agreed).Run();

        _fatal.HostGone();
        _shutdown.Wait();
        return ExitCode.Drained;
    }

    private Capabilities SendReady(HelloPayload hello, WorkerTable table, WorkerLoggers loggers, string identity)
    {
        var capabilities = hello.Capabilities
            & (Capabilities.Concurrent | Capabilities.RequestStreams | Capabilities.ResponseHeads | Capabilities.CallContext | Capabilities.Progress
                | Capabilities.Content | Capabilities.Caller | Capabilities.SharedData);
        _calls.OneAtATime = !capabilities.HasFlag(Capabilities.Concurrent);
        if (TryUseSharedMemory(hello))
        {
            capabilities |= Capabilities.SharedMemory;
        }

        _dataOutput.MostPayload = hello.MostPayload;
        _shutdown.Attach(table, loggers);
        WaitUntilPrepared();
        _control.SetReady();
        _controlOutput.Ready(new ReadyPayload
        {
            Version = ProtocolVersion.Agree(hello.MinVersion, hello.MaxVersion),
            Capabilities = capabilities,
            ProcessId = Environment.ProcessId,
            CatalogIdentity = identity,
            Operations = table.Entries,
        });
        return capabilities;
    }

    // Read on this thread, because the control thread still prepares and warms up; no other frame can come yet, except PING.
    private HelloPayload ReadHello()
    {
        try
        {
            return _control.ReadHello() ?? throw new ChannelEndedException();
        }
        finally
        {
            lock (_gate)
            {
                _hasHello = true;
                Monitor.PulseAll(_gate);
            }
        }
    }

    private void WaitUntilPrepared()
    {
        lock (_gate)
        {
            while (!_isPrepared)
            {
                Monitor.Wait(_gate);
            }
        }
    }

    private bool TryUseSharedMemory(HelloPayload hello)
    {
        var region = hello.Capabilities.HasFlag(Capabilities.SharedMemory) ? _mapSharedMemory() : 0;
        _dataOutput.Open(region);
        if (region != 0)
        {
            _calls.UseSharedMemory(region);
        }

        return region != 0;
    }

    // User code gets loggers only with services: without services no log record needs the id of its call.
    private static bool HasLoggers(WorkerTable table)
    {
        foreach (var host in table.Hosts)
        {
            if (host.NeedsServices)
            {
                return true;
            }
        }

        return false;
    }

    private int Fail(string phase, Exception cause)
    {
        var text = ExceptionText.Of(cause);
        _controlOutput.Ready(new StartFailure(phase, text.TypeName, text.Message, text.Stack));
        if (_fatal.Begin())
        {
            _controlOutput.Finish(new ByePayload(ByeReason.StartFailed, phase), TimeSpan.FromSeconds(1));
            _process.Abort(ExitCode.StartFailed);
        }

        return ExitCode.StartFailed;
    }

    private void ReadControl()
    {
        _prepare();
        lock (_gate)
        {
            _isPrepared = true;
            Monitor.PulseAll(_gate);
        }

        _warmUp();
        lock (_gate)
        {
            while (!_hasHello)
            {
                Monitor.Wait(_gate);
            }
        }

        try
        {
            _control.Run();
            _fatal.HostGone();
        }
        catch (FrameException violation)
        {
            _fatal.HostBroke(violation);
        }
    }
}
