namespace Weir.Jobs.Tests.Running;

public sealed class MemoryJobsControlTests : JobsRetentionCompliance
{
    private protected override void Choose(WeirJobsOptions jobs) => jobs.UseMemory();
}
