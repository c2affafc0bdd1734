using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;

namespace Weir.Execution.Pools.Workers;

/// <summary>
/// Passes what one worker prints to the pool's log, with the call it runs at that moment. Lines of standard error wait for a moment: a worker
/// that dies prints its stack there, which the crash report has, and which is not logged a second time. Any thread.
/// </summary>
/// <param name="worker">The worker.</param>
/// <param name="core">Its pool.</param>
/// <param name="log">The log of its pool.</param>
/// <param name="time">The clock.</param>
internal sealed class WorkerOutput(IPoolWorker worker, PoolCore core, WorkerLog log, TimeProvider time) : IOutputSink
{
    // A line without text takes space too.
    private const int LeastSize = 64;

    private readonly HeldLines _held = new(log.Add, time);

    public void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut)
    {
        if (!log.TakesLines)
        {
            return;
        }

        var line = WorkerLog.Line(worker.ProcessId, core.Running(worker), utf8, cut);

        if (stream == OutputStream.Error)
        {
            _held.Add(line, Math.Max(LeastSize, utf8.Length));
        }
        else
        {
            log.Add(line);
        }
    }

    /// <summary>A crash report has what is held: it is not logged.</summary>
    public void Drop() => _held.Drop();

    /// <summary>The worker is gone: logs what is held, and whatever still comes at once.</summary>
    public void End() => _held.End();
}
