using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Hangs;
using Weir.Execution.Pools.Transport;
using Weir.Execution.Processes;
using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Workers;

/// <summary>
/// What one worker did when it hung: read between the decision to kill it and the kill, which comes then in any case. Only where a pool kills for a grace that passed or
/// for a stall. A pool that is aborted stops it.
/// </summary>
internal sealed class HangRecord(PoolDefinition definition, PoolCore core, WorkerLifetime worker, PoolReports reports)
{
    // How many workers of this process are read at a time: reading one takes a processor for a third of a second. Others are killed without it.
    private const int MostAtOnce = 4;

    // A minidump has some MB; only a slow or full disk needs more time.
    private static readonly TimeSpan DumpTime = TimeSpan.FromSeconds(30);

    // How often it is looked, while a worker in another language is to answer, whether the pool is aborted.
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(20);

    private static int _reading;

    // Set by the thread that looks, read by the one that reports; the process is killed between the two, or has ended by itself.
    private volatile string? _stack;
    private volatile string? _dumpPath;

    // Of a worker in another language: kills when the time has passed, or the answer is there.
    private ITimer? _timer;

    /// <summary>The stack; <c>null</c> where it could not be had in time.</summary>
    public string? Stack => _stack;

    /// <summary>The minidump; <c>null</c> where there is none.</summary>
    public string? DumpPath => _dumpPath;

    /// <summary>Begins to look; the worker is killed afterwards, on the thread that kills.</summary>
    /// <returns>Whether it did. Otherwise the caller kills.</returns>
    public bool TryBegin(WorkerHandle handle, WorkerConnection connection)
    {
        if (connection.ShowsStacks)
        {
            return TryAsk(handle, connection);
        }

        // The tool reads the runtime of .NET: of a worker in another language only that itself knows.
        if (definition.Options.Command is not null || handle.Inspect() is not { } inspection)
        {
            return false;
        }

        if (Interlocked.Increment(ref _reading) > MostAtOnce)
        {
            Interlocked.Decrement(ref _reading);
            return false;
        }

        try
        {
            Callbacks.CreateThread(
                "Weir worker stacks", (Record: this, Handle: handle, Inspection: inspection), static look => look.Record.Run(look.Handle, look.Inspection), static (look, failure) => look.Record.Failed(failure)).UnsafeStart();
            return true;
        }
        catch (Exception)
        {
            // No thread can be started. The kill must come.
            Interlocked.Decrement(ref _reading);
            return false;
        }
    }

    private void Run(WorkerHandle handle, WorkerInspection inspection)
    {
        try
        {
            using (inspection)
            {
                try
                {
                    _stack = inspection.ReadStacks(new Patience(definition.Options.StackTime, IsStopped)) is { } report ? ThreadStacks.Describe(report) : null;
                    Dump(inspection);
                }
                finally
                {
                    Kill(handle);
                }
            }
        }
        finally
        {
            Interlocked.Decrement(ref _reading);
        }
    }

    private void Dump(WorkerInspection inspection)
    {
        if (definition.Options.Dumps is not { } options || IsStopped())
        {
            return;
        }

        var folder = new DumpFolder(options);
        var path = folder.Next(worker.ReportId, definition.Time.GetUtcNow());
        if (!inspection.WriteDump(path, new Patience(DumpTime, IsStopped)))
        {
            DumpFolder.Discard(path);
        }
        else if (folder.Keep(path))
        {
            _dumpPath = path;
        }
    }

    private bool TryAsk(WorkerHandle handle, WorkerConnection connection)
    {
        if (core.CallThatHangs(worker) is not (> 0 and var callId))
        {
            return false;
        }

        // On the thread that kills: no thread waits for the answer.
        var patience = new Patience(definition.Options.StackTime, IsStopped);
        var timer = HostThread.Kills.Add(() => Await(handle, patience), Failed);
        _timer = timer;

        // Before the question: the answer may come at once, and sets it too.
        timer.Change(Step, Timeout.InfiniteTimeSpan);
        connection.AskForStack(callId, text =>
        {
            _stack ??= text;
            timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        });
        return true;
    }

    // An answer that comes between the question and the change of the timer is seen a step later.
    private void Await(WorkerHandle handle, Patience patience)
    {
        if (_stack is null && patience.Left is var left && left > TimeSpan.Zero)
        {
            _timer!.Change(left < Step ? left : Step, Timeout.InfiniteTimeSpan);
            return;
        }

        _timer?.Dispose();
        handle.Kill();
    }

    private bool IsStopped() => core.IsAborted();

    private void Kill(WorkerHandle handle) => HostThread.Kills.Post(handle.Kill, Failed);

    private void Failed(Exception failure) => reports.CallbackFailed(failure, "looking into a worker that hangs");
}
