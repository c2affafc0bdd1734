using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Measuring;

public sealed class WorkerLimitsTests
{
    private readonly WorkerLimits _own = new(Environment.ProcessId);

    [Fact]
    public void Every_thread_is_looked_at_for_its_priority()
    {
        var nice = _own.Nice(expected: 0);
        Assert.InRange(nice, -20, 19);
        Assert.Equal(nice, _own.Nice(expected: nice));
    }

    [Fact]
    public void A_thread_that_ended_while_its_files_were_read_has_no_priority()
    {
        Assert.Null(WorkerLimits.NiceIn(""));
        Assert.Equal(-5, WorkerLimits.NiceIn("12 (a ) b) S 1 12 12 0 -1 4194304 0 0 0 0 0 0 0 0 15 -5 1 0 7"));
    }

    [Fact]
    public void The_folder_is_where_the_process_works() => Assert.Equal(Directory.GetCurrentDirectory(), _own.Folder);

    [Fact]
    public void Variables_are_those_it_was_started_with() => Assert.Contains("PATH", _own.Variables);

    [Fact]
    public void Processors_are_named_where_all_threads_have_the_same() => Assert.Matches("^([0-9,-]+|differ)$", _own.Processors);

    [Fact]
    public void Who_is_gone_has_no_limits() => Assert.Equal(-1, new WorkerLimits(int.MaxValue).DataBytes);
}
