using Weir.Execution.Pools.Core;
using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Tests.Processes;

public class MemoryWatchTests
{
    private readonly ManualTime _time = new();
    private int _looks;

    [Fact]
    public void Memory_is_not_measured_while_there_are_no_calls()
    {
        using var watch = new MemoryWatch(_time, () => _looks++);
        _time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(0, _looks);
    }

    [Fact]
    public void Memory_is_measured_once_a_second_regardless_of_the_number_of_calls()
    {
        using var watch = new MemoryWatch(_time, () => _looks++);
        for (var i = 0; i < 100; i++)
        {
            watch.Note();
            _time.Advance(TimeSpan.FromMilliseconds(30));
        }

        Assert.InRange(_looks, 2, 3);
    }

    [Fact]
    public void Memory_is_measured_once_more_after_the_last_call_and_then_not_again()
    {
        using var watch = new MemoryWatch(_time, () => _looks++);
        _time.Advance(TimeSpan.FromSeconds(5));
        watch.Note();
        _time.Advance(TimeSpan.Zero);
        Assert.Equal(1, _looks);
        watch.Note();
        _time.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Equal(1, _looks);
        _time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(2, _looks);
    }

    [Theory]
    [InlineData("Name:\tx\nRssAnon:\t     116 kB\nRssFile:\t 9999 kB\nVmSwap:\t  8 kB\n", 124 << 10)]
    [InlineData("Name:\tx\nRssAnon:\t     116 kB\n", 116 << 10)]
    [InlineData("Name:\tx\nState:\tZ (zombie)\n", null)]
    public void The_private_memory_of_a_process_excludes_memory_of_files(string status, int? bytes) => Assert.Equal(bytes, PrivateMemory.Parse(status));

    [Fact]
    public void What_the_limit_of_data_counts_is_read_besides_and_neither_of_a_process_that_has_ended()
    {
        Assert.Equal(new MemoryUse(116 << 10, 4000 << 10), PrivateMemory.ParseUse("VmData:\t    4000 kB\nRssAnon:\t     116 kB\nRssFile:\t 9999 kB\n"));
        Assert.Null(PrivateMemory.ParseUse("Name:\tx\nState:\tZ (zombie)\n"));
    }
}
