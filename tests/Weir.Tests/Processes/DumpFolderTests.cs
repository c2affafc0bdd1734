using Weir.Execution.Pools.Hangs;

namespace Weir.Tests.Processes;

public sealed class DumpFolderTests
{
    private static readonly (string, long, DateTime)[] Files = [.. new[] { 3, 1, 4, 2 }.Select(day => ($"day{day}", 10L * day, new DateTime(2026, 1, day, 0, 0, 0, DateTimeKind.Utc)))];

    [Theory]
    [InlineData(4, 100, "")]
    [InlineData(3, 100, "day1")]
    [InlineData(1, 100, "day3,day2,day1")]
    [InlineData(0, 100, "day4,day3,day2,day1")]
    [InlineData(4, 99, "day1")]
    [InlineData(4, 70, "day2,day1")]
    [InlineData(4, 69, "day3,day2,day1")]
    [InlineData(4, 39, "day4,day3,day2,day1")]
    public void The_oldest_are_deleted_until_both_bounds_hold(int mostFiles, long mostBytes, string deleted) =>
        Assert.Equal(deleted, string.Join(',', DumpFolder.ToDelete(Files, mostFiles, mostBytes)));
}
