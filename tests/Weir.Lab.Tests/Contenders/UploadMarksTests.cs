using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Tests.Contenders;

public sealed class UploadMarksTests
{
    private static readonly long[] TwoFiles = [10, 20];

    [Fact]
    public void What_was_read_to_its_end_as_a_whole_is_complete()
    {
        var marks = new UploadMarks([UploadMarks.BeginOf(1), UploadMarks.EndOf(1, 0, 10), UploadMarks.EndOf(1, 1, 20), UploadMarks.EndOfAll(1, 2), UploadMarks.LeaveOf(1)]);
        Assert.True(marks.HasBegun(1));
        Assert.True(marks.IsComplete(1, TwoFiles));
        Assert.True(marks.LooksComplete(1, TwoFiles));
    }

    [Fact]
    public void A_file_before_the_cut_is_no_lie() =>
        Assert.False(new UploadMarks([UploadMarks.BeginOf(1), UploadMarks.EndOf(1, 0, 10), UploadMarks.LeaveOf(1)]).LooksComplete(1, TwoFiles));

    [Theory]
    [InlineData(0, 9)]
    [InlineData(1, 19)]
    [InlineData(1, 0)]
    [InlineData(0, -1)]
    [InlineData(2, 5)]
    public void A_content_that_ends_with_other_bytes_looks_complete(int index, long length) =>
        Assert.True(new UploadMarks([UploadMarks.BeginOf(1), UploadMarks.EndOf(1, index, length)]).LooksComplete(1, TwoFiles));

    [Theory]
    [InlineData(2, 19)]
    [InlineData(1, 20)]
    public void A_whole_upload_of_which_something_is_missing_is_not_complete(int count, long length) =>
        Assert.False(new UploadMarks([UploadMarks.EndOf(1, 0, 10), UploadMarks.EndOf(1, 1, length), UploadMarks.EndOfAll(1, count)]).IsComplete(1, TwoFiles));

    [Fact]
    public void An_operation_runs_until_it_has_left() =>
        Assert.Equal(1, new UploadMarks([UploadMarks.BeginOf(1), UploadMarks.BeginOf(2), UploadMarks.LeaveOf(1), "f 2"]).Running);
}
