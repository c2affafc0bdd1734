using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>A call of tests that ask the decisions themselves: nothing carries out what they decide, so nothing uses the rest of the call.</summary>
internal abstract class UnhostedCall : CallEntry
{
    public override Operation? Operation => null;

    public override CancellationToken Token => default;

    public override bool IsLate => false;

    public override bool TryTakePlace() => throw new NotSupportedException();

    public override Exception? TryWrite() => throw new NotSupportedException();

    public override void Fail(PoolActionKind decision, IPoolWorker? worker, string cause) => throw new NotSupportedException();

    public override void Fail(Exception failure) => throw new NotSupportedException();

    public override void Abandon(Exception reason) => throw new NotSupportedException();
}
