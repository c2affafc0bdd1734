namespace Weir.Jobs.Tests.Running;

public sealed class MemoryJobsControlTests : JobsControlCompliance
{
    private protected override void Choose(WeirJobsOptions jobs) => jobs.UseMemory();
}
