using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

/// <summary>A page whose memory is the test's.</summary>
internal sealed class BorrowedPage(nint address) : SharedPage(address)
{
    protected override bool ReleaseHandle() => true;
}
