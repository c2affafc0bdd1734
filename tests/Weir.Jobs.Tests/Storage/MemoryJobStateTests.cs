using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

public sealed class MemoryJobStateTests : JobStateCompliance
{
    private protected override ValueTask<IJobStore> CreateAsync() => new(new MemoryJobStore());
}
