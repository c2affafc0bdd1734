using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>A call whose arguments are a number. What is decided about it is not carried out.</summary>
internal sealed class PrintedCall(ulong print = 0) : CallEntry
{
    public ulong Print { get; set; } = print;

    /// <summary>How often its fingerprint was requested.</summary>
    public int Asked { get; private set; }

    /// <summary>Its worker ran out of memory.</summary>
    public bool ExhaustsMemory { get; init; }

    public override Operation? Operation => null;

    public override CancellationToken Token => default;

    public override bool IsLate => false;

    public override ulong Fingerprint
    {
        get
        {
            Asked++;
            return Print;
        }
    }

    public override bool IsFatal(in Answer answer) => ExhaustsMemory;

    public override bool TryTakePlace() => throw new NotSupportedException();

    public override Exception? TryWrite() => throw new NotSupportedException();

    public override void Fail(PoolActionKind decision, IPoolWorker? worker, string cause) => throw new NotSupportedException();

    public override void Fail(Exception failure) => throw new NotSupportedException();

    public override void Abandon(Exception reason) => throw new NotSupportedException();
}
