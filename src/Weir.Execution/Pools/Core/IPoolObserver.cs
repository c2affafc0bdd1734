using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>What a pool tells of its events. It changes nothing in the pool, and does not throw.</summary>
internal interface IPoolObserver
{
    /// <summary>Whether the waiting times of calls are measured. Any thread.</summary>
    bool MeasuresWaits { get; }

    /// <summary>Calls were assigned to workers for the first time, and had waited so long. Any thread, without the pool's lock.</summary>
    void Waited(ReadOnlySpan<TimeSpan> times);

    /// <summary>A worker of a generation reported why it cannot start: the next one would report the same. Under the pool's lock.</summary>
    void CannotStart(int generation, FailedStart failure);

    /// <summary>An event was decided. Under the pool's lock, after every event: it costs each call.</summary>
    /// <param name="table">The pool, to be read only.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="lastFailure">Why the last worker that failed to start did.</param>
    void Decided(PoolTable table, TimeSpan now, FailedStart? lastFailure);

    /// <summary>A callback of the pool failed; it is reported nowhere else. Any thread, without the pool's lock.</summary>
    void CallbackFailed(Exception failure, string work);
}
