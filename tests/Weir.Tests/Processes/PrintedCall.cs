using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>A call whose arguments are a number.</summary>
internal sealed class PrintedCall(ulong print = 0) : UnhostedCall
{
    public ulong Print { get; set; } = print;

    /// <summary>How often its fingerprint was requested.</summary>
    public int Asked { get; private set; }

    /// <summary>Its worker ran out of memory.</summary>
    public bool ExhaustsMemory { get; init; }

    public override ulong Fingerprint
    {
        get
        {
            Asked++;
            return Print;
        }
    }

    public override bool IsFatal(in Answer answer) => ExhaustsMemory;
}
