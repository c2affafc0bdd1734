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
    }

    [Theory]
    [InlineData("'/app/App'", "/app/App", "--weir-worker", "--host", "1")]
    [InlineData("'--host'", "--host", "1")]
    [InlineData("missing")]
    public void A_worker_whose_program_passes_other_arguments_does_not_become_a_second_application(string named, params string[] args)
    {
        var refused = Assert.Throws<InvalidOperationException>(() => WorkerEntryPoint.IsWorker(args, ["/app/App", "--weir-worker", "--host", "1"]));
        Assert.Contains(named, refused.Message, StringComparison.Ordinal);
        Assert.Contains("unchanged", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_program_that_was_started_otherwise_is_the_application_whatever_it_passes() =>
        Assert.False(WorkerEntryPoint.IsWorker(["/app/App", "--weir-worker"], ["/app/App", "--urls", "--weir-worker"]));
}
