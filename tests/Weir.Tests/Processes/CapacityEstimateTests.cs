using Weir.Execution.Pools.Capacity;
using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Tests.Processes;

public class CapacityEstimateTests
{
    private const long Megabyte = 1L << 20;

    [Fact]
    public void Without_figures_there_is_no_limit() => Assert.Equal(int.MaxValue, CapacityEstimate.Of(default, CapacityEstimate.UsualMemory).Workers);

    [Theory]
    [InlineData(1000, 40, 20)]
    [InlineData(49, 40, 0)]
    [InlineData(50, 40, 1)]
    [InlineData(-5, 40, 0)]
    public void A_fifth_of_the_free_memory_is_reserved(long free, long each, int workers)
    {
        var estimate = CapacityEstimate.Of(new HostResources { FreeMemory = free * Megabyte }, each * Megabyte);
        Assert.Equal(workers, estimate.Workers);
        Assert.StartsWith("memory: ", estimate.Limit, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(64 + 160, 10)]
    [InlineData(64 + 15, 0)]
    [InlineData(10, 0)]
    public void Processes_and_threads_are_counted(long free, int workers)
    {
        var estimate = CapacityEstimate.Of(new HostResources { FreeProcesses = free }, CapacityEstimate.UsualMemory);
        Assert.Equal(workers, estimate.Workers);
        Assert.StartsWith("processes and threads: ", estimate.Limit, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(128 + 120, 10)]
    [InlineData(0, 0)]
    public void Descriptors_are_counted(long free, int workers)
    {
        var estimate = CapacityEstimate.Of(new HostResources { FreeDescriptors = free }, CapacityEstimate.UsualMemory);
        Assert.Equal(workers, estimate.Workers);
        Assert.StartsWith("descriptors: ", estimate.Limit, StringComparison.Ordinal);
    }

    [Fact]
    public void The_smallest_limit_applies_and_is_named()
    {
        var figures = new HostResources { FreeMemory = 100_000 * Megabyte, FreeProcesses = 64 + 160, FreeDescriptors = 100_000 };
        Assert.Equal(10, CapacityEstimate.Of(figures, CapacityEstimate.UsualMemory).Workers);
        Assert.StartsWith("processes", CapacityEstimate.Of(figures, CapacityEstimate.UsualMemory).Limit, StringComparison.Ordinal);
        Assert.StartsWith("descriptors", CapacityEstimate.Of(figures with { FreeDescriptors = 130 }, CapacityEstimate.UsualMemory).Limit, StringComparison.Ordinal);
    }

    [Fact]
    public void The_estimate_for_a_worker_is_near_the_largest_memory_that_any_worker_uses()
    {
        Assert.Equal(CapacityEstimate.UsualMemory, CapacityEstimate.MemoryPerWorker([]));
        Assert.Equal(CapacityEstimate.UsualMemory, CapacityEstimate.MemoryPerWorker([Megabyte, 2 * Megabyte]));
        Assert.Equal(200 * Megabyte, CapacityEstimate.MemoryPerWorker([200 * Megabyte]));
        Assert.Equal(95 * Megabyte, CapacityEstimate.MemoryPerWorker([.. Enumerable.Range(1, 100).Reverse().Select(number => number * Megabyte)]));
        Assert.Equal(100 * Megabyte, CapacityEstimate.MemoryPerWorker([50 * Megabyte, 100 * Megabyte]));
    }

    [Theory]
    [InlineData("MemTotal:       24684096 kB\nMemAvailable:   24233940 kB\n", 24233940L)]
    [InlineData("MemTotal:       24684096 kB\n", null)]
    [InlineData("", null)]
    public void Numbers_are_found_after_their_keys(string text, long? number) => Assert.Equal(number, MachineResources.Number(text, "MemAvailable:"));

    [Theory]
    [InlineData("some avg10=76.50 avg60=0.00 avg300=1.84 total=5996455949\nfull avg10=0.00 avg60=0.00\n", 76.5)]
    [InlineData("full avg10=50.00", 0)]
    [InlineData("some avg10=x", 0)]
    [InlineData(null, 0)]
    public void Pressure_is_the_share_of_ten_seconds_in_which_a_task_waited(string? text, double percent) => Assert.Equal(percent, MachineResources.Pressure(text));
}
