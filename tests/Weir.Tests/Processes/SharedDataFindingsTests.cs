using Weir.Execution.Machine;

namespace Weir.Tests.Processes;

public sealed class SharedDataFindingsTests
{
    private const long Megabyte = 1L << 20;

    private static readonly int[] Holding = [12, 10, 11, 10, 13, 14];

    [Fact]
    public void Each_reading_counts_once_however_many_processes_hold_it()
    {
        SharedDataUse[] uses =
        [
            .. Holding.Select(static process => new SharedDataUse("model", 1000 * Megabyte, "ino: 7", process)),
            new("words", (2 * Megabyte) + 1, "ino: 8", 10),
        ];
        var findings = SharedDataFindings.Describe(uses, 1500 * Megabyte);
        Assert.Equal([("shared data model", "1,000 MB, once"), ("shared data words", "3 MB, once")], findings.Select(static one => (one.Name, one.Level)));
        Assert.Equal("held by 5 processes, 10, 11, 12, 13, …, 1,500 MB are free", findings[0].Detail);
        Assert.Equal("held by process 10, 1,500 MB are free", findings[1].Detail);
        Assert.All(findings, static one => Assert.Equal((FindingState.Full, null), (one.State, one.NextStep)));
    }

    [Fact]
    public void Two_readings_of_a_name_are_two_rows_and_one_without_room_for_the_next_has_a_next_step()
    {
        var findings = SharedDataFindings.Describe([new("model", 10 * Megabyte, "ino: 9", 20), new("model", 8 * Megabyte, "ino: 7", 10)], 9 * Megabyte);
        Assert.Equal(["8 MB, once", "10 MB, once"], findings.Select(static one => one.Level));
        Assert.Equal((FindingState.Full, FindingState.Reduced), (findings[0].State, findings[1].State));
        Assert.Contains("a reload reads it again", findings[1].NextStep, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_any_there_is_one_row() => Assert.Equal("none", Assert.Single(SharedDataFindings.Describe([], null)).Level);
}
