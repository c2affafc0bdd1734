using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Measuring;

public sealed class ProcFileTests
{
    private const string Status = "Name:\tdotnet\nVmHWM:\t   81234 kB\nVmRSS:\t 70000 kB\nThreads:\t12\n";

    [Theory]
    [InlineData("VmHWM", 81234)]
    [InlineData("Threads", 12)]
    [InlineData("Vm", 0)]
    [InlineData("Absent", 0)]
    public void A_field_is_its_number(string name, long value) => Assert.Equal(value, ProcFile.FieldOf(Status, name));

    [Fact]
    public void A_process_that_is_gone_reads_as_zero() => Assert.Equal(0, ProcFile.Field("/proc/0/status", "VmRSS"));

    [Fact]
    public void This_process_has_memory_threads_and_processor_time()
    {
        var meter = new ProcessMeter(Environment.ProcessId);
        Assert.True(meter.IsAlive);

        // The kernel counts pages for each processor and adds them up roughly: the peak may read some pages less than what was resident just before.
        Assert.InRange(meter.Resident, 1_000_000, meter.PeakResident + 1_000_000);
        Assert.InRange(meter.PrivateDirty, 1, meter.Resident);
        Assert.True(meter.Threads > 1);
        Assert.True(meter.Waits > 0);
        Assert.True(meter.CpuSeconds > 0);
    }
}
