using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

/// <summary>Shared memory that the test owns.</summary>
internal sealed class BorrowedRegion(nint address) : SharedMemoryRegion(address)
{
    protected override bool ReleaseHandle() => true;
}
