using Weir.Execution.Pools.Core;
using Weir.Execution.Processes;

namespace Weir.Execution.Pools.Workers;

/// <summary>Passes what one worker prints to the pool's log, with the call it runs at that moment.</summary>
internal sealed class WorkerOutput(IPoolWorker worker, WorkerLog log) : IOutputSink
{
    public void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut) =>
        log.Line(worker, stream, utf8, cut);
}
