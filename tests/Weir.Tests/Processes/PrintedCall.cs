using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

/// <summary>A call whose arguments are a number.</summary>
internal sealed class PrintedCall(ulong print = 0) : CallEntry
{
    public ulong Print { get; set; } = print;

    public override ulong Fingerprint => Print;
}
