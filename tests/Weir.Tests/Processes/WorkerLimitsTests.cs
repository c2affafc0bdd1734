using System.Diagnostics;
using Weir.Execution.Configuration;
using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Tests.Processes;

public class WorkerLimitsTests
{
    [Theory]
    [InlineData(ProcessPriorityClass.Idle, 0, 19)]
    [InlineData(ProcessPriorityClass.BelowNormal, 0, 10)]
    [InlineData(ProcessPriorityClass.Normal, 0, 0)]
    [InlineData(ProcessPriorityClass.AboveNormal, 0, -6)]
    [InlineData(ProcessPriorityClass.High, 0, -11)]
    [InlineData(ProcessPriorityClass.BelowNormal, 5, 15)]
    [InlineData(ProcessPriorityClass.BelowNormal, 15, 19)]
    [InlineData(ProcessPriorityClass.Normal, 15, 15)]
    [InlineData(ProcessPriorityClass.High, -15, -20)]
    public void Priority_is_relative_to_that_of_the_host(ProcessPriorityClass priority, int host, int nice) =>
        Assert.Equal(nice, WorkerLimits.For(new PoolOptions { Priority = priority }, host, 0).Nice);

    [Theory]
    [InlineData(500, 0, 500)]
    [InlineData(500, 900, 1000)]
    [InlineData(0, 900, null)]
    [InlineData(500, -900, -400)]
    public void The_OOM_score_is_relative_to_that_of_the_host_and_zero_writes_nothing(int adjustment, int host, int? score) =>
        Assert.Equal(score, WorkerLimits.For(new PoolOptions { OomScoreAdjustment = adjustment }, 0, host).OomScore);

    [Fact]
    public void Processors_are_listed_in_order_and_once() =>
        Assert.Equal([1, 2, 7], WorkerLimits.For(new PoolOptions { Processors = [7, 1, 2, 1] }, 0, 0).Processors!);

    [Theory]
    [InlineData("0", 0)]
    [InlineData("0-3", 0, 1, 2, 3)]
    [InlineData("0-1, 4,6-7", 0, 1, 4, 6, 7)]
    public void A_list_of_processors_is_read_and_written_as_the_kernel_does(string text, params int[] numbers)
    {
        Assert.Equal(numbers, ProcessorList.Parse(text)!);
        Assert.Equal(text.Replace(" ", "", StringComparison.Ordinal), ProcessorList.Format(numbers));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a")]
    [InlineData("3-1")]
    [InlineData("1-2-3")]
    [InlineData("-1")]
    [InlineData("0,")]
    [InlineData("0-99999")]
    public void An_invalid_list_of_processors_is_rejected(string text) => Assert.Null(ProcessorList.Parse(text));

    [Theory]
    [InlineData("4711 (a) b) 1 2 3) S 17 4711 4711 0 -1 4194560 1 0 0 0 1 2 0 0 30 10 4 0 123456 1 2", 'S', 17, 4711, 10, 123456)]
    [InlineData("1 () R 0 1 1 0 -1 0 1 0 0 0 1 2 0 0 20 -5 1 0 7 1\n", 'R', 0, 1, -5, 7)]
    public void A_line_of_proc_stat_is_read_regardless_of_the_program_name(string line, char state, int parent, int group, int nice, long started) =>
        Assert.Equal(new ProcStat(state, parent, group, nice, started), ProcStat.Parse(line));

    [Theory]
    [InlineData("")]
    [InlineData("4711 (sleep) S 17")]
    public void A_truncated_line_is_ignored(string line) => Assert.Null(ProcStat.Parse(line));

    [Theory]
    [InlineData("Name:\tx\nCapEff:\t0000000001000000\n", 24, true)]
    [InlineData("Name:\tx\nCapEff:\t0000000001000000\n", 23, false)]
    [InlineData("Name:\tx\nCapEff:\t000001ffffffffff\n", 24, true)]
    [InlineData("Name:\tx\n", 24, false)]
    public void A_capability_is_a_bit_of_the_effective_set(string status, int number, bool held) => Assert.Equal(held, Capability.IsIn(status, number));

    [Fact]
    public void Applied_limits_are_described_in_one_line()
    {
        Assert.Equal("no limits", AppliedLimits.None.ToString());
        Assert.Equal(
            "nice 10, processors 0-1,5, memory 256 MB (RLIMIT_DATA), oom score 500, WITHOUT this; that",
            new AppliedLimits { Nice = 10, Processors = [0, 1, 5], MemoryBytes = 256 << 20, OomScoreAdjustment = 500, Missing = ["this", "that"] }.ToString());
    }
}
