using Weir.Runtime;

namespace Weir.Tests.Contract;

public sealed class WorkerEntryPointTests
{
    [Theory]
    [InlineData(true, "--weir-worker")]
    [InlineData(true, "--weir-worker", "--host", "1")]
    [InlineData(false)]
    [InlineData(false, "--urls", "--weir-worker")]
    [InlineData(false, "--WEIR-WORKER")]
    public void A_worker_is_known_by_its_first_argument(bool isWorker, params string[] args)
    {
        Assert.Equal(isWorker, WorkerEntryPoint.IsWorker(args));
        Assert.True(WorkerEntryPoint.IsReached);
    }
}
