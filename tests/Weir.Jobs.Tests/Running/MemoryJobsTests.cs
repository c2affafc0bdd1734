namespace Weir.Jobs.Tests.Running;

public sealed class MemoryJobsTests : JobsCompliance
{
    protected override void Choose(WeirJobsOptions jobs) => jobs.UseMemory();
}
