using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// What one pool tells: exceptions to its callers, counts to the metrics, lines to the log, and to those who wait whether it is ready.
/// Any thread, unless a member says otherwise.
/// </summary>
internal sealed class PoolReports : IPoolObserver, IDisposable
{
    private readonly string _pool;

    /// <param name="definition">The pool.</param>
    /// <param name="log">What the pool logs.</param>
    /// <param name="queueLimit">Reads the current limit of the queue.</param>
    public PoolReports(PoolDefinition definition, WorkerLog log, Func<int> queueLimit)
    {
        _pool = definition.Name;
        Log = log;
        Exceptions = new CallExceptions(definition);
        Tally = new PoolMetrics(definition.Name, definition.Meter);
        Losses = new WorkerLosses(definition.Time);
        Unserved = new UnservedCalls(definition.Time, queueLimit, (calls, seconds, reasons) => log.Write(
            (definition.Name, calls, seconds, reasons), static (logger, unserved) => UnservedLog.OfPool(logger, unserved.Name, unserved.calls, unserved.seconds, unserved.reasons)));
    }

    /// <summary>The log of the pool and its workers.</summary>
    public WorkerLog Log { get; }

    /// <summary>The exceptions of calls that do not succeed.</summary>
    public CallExceptions Exceptions { get; }

    /// <summary>What is counted.</summary>
    public PoolMetrics Tally { get; }

    /// <summary>Which workers were lost and which could not start, for the health of the pool.</summary>
    public WorkerLosses Losses { get; }

    /// <summary>The calls that were rejected or whose deadline passed, for the log.</summary>
    public UnservedCalls Unserved { get; }

    /// <summary>The callers that wait until the pool is ready. Under the pool's lock.</summary>
    public ReadinessWaiters Readiness { get; } = new();

    /// <summary>The highest values since they were last taken; <c>null</c> unless the pool is recorded. Its values are under the pool's lock.</summary>
    public PoolPeaks? Peaks { get; set; }

    public bool MeasuresWaits => Tally.MeasuresWaits;

    public void Waited(ReadOnlySpan<TimeSpan> times) => Tally.Waited(times);

    public void CannotStart(int generation, FailedStart failure) => Readiness.Fail(generation, failure.ToException(_pool));

    public void Decided(PoolTable table, TimeSpan now, FailedStart? lastFailure)
    {
        Peaks?.Note(table.Busy, table.Queue.Count);
        if (Readiness.Count > 0)
        {
            CheckReadiness(table, now, lastFailure);
        }
    }

    public void CallbackFailed(Exception failure, string work) =>
        Log.Write((_pool, failure, work), static (logger, callback) => PoolLog.CallbackFailed(logger, callback.failure, callback._pool, callback.work));

    /// <summary>A call did not succeed. A caller who asked for a free place expects to be rejected: that is counted, and not reported.</summary>
    public void Failed(Exception failure, CancelReason reason, CallAdmission admission)
    {
        Tally.Failed(failure, reason);
        if (admission != CallAdmission.Free)
        {
            Unserved.Note(failure);
        }
    }

    public void Dispose() => Unserved.Dispose();

    // Apart from Decided, which allocates nothing.
    private void CheckReadiness(PoolTable table, TimeSpan now, FailedStart? lastFailure) =>
        Readiness.Check(table, now, () => table.IsDraining ? Exceptions.Draining() : lastFailure!.ToException(_pool));
}
