using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class WorkerFilesTests
{
    [Theory]
    [InlineData("weir", "5 GB up and down", "host peak RSS", 150, 150.1)]
    [InlineData("weir", "5 GB up and down", "worker peak RSS", 100, 100.1)]
    [InlineData("weir", "the other end stands still", "made for a standing reader", 16, 17)]
    [InlineData("weir", "the other end stands still", "taken for a standing operation", 16, 17)]
    [InlineData("weir", "the other end stands still", "answered afterwards", 2, 1)]
    [InlineData("weir", "10,000 uploads, cut", "look complete", 0, 1)]
    [InlineData("weir", "10,000 uploads, cut", "answered with success", 0, 1)]
    [InlineData("weir", "10,000 uploads, cut", "of them begun", 5_000, 4_999)]
    [InlineData("weir", "10,000 uploads, cut", "whole ones missing", 0, 1)]
    [InlineData("weir", "10,000 uploads, cut", "hung", 0, 1)]
    [InlineData("weir", "10,000 downloads, cut", "look complete", 0, 1)]
    [InlineData("weir", "10,000 downloads, cut", "of them by a kill", 1_000, 500)]
    [InlineData("weir", "10,000 downloads, cut", "with wrong bytes", 0, 1)]
    [InlineData("weir, shared", "8 workers, one file of 1,000 MB", "PSS beyond the file", 150, 151)]
    [InlineData("weir, shared", "8 workers, one file of 1,000 MB", "first read, median", 2, 2.1)]
    [InlineData("weir, shared", "8 workers, one file of 1,000 MB", "right", 1, 0)]
    [InlineData("weir", "20 calls that hang", "reports", 20, 19)]
    [InlineData("weir", "20 calls that hang", "reports with a stack", 20, 19)]
    public void What_is_promised_of_content_in_workers_is_decided_by_its_own_figure(string contender, string @case, string metric, double good, double bad)
    {
        Assert.True(PromiseOf(good).Holds);
        Assert.False(PromiseOf(bad).Holds);

        Promise PromiseOf(double value) => Decided(Row.Fixed(contender, @case, metric, value, ""));
    }

    [Theory]
    [InlineData(500, true)]
    [InlineData(499, false)]
    public void A_worker_has_half_the_rate_of_the_host(double rate, bool holds)
    {
        const string @case = "5 GB up and down";
        Assert.Equal(holds, Decided(Row.Fixed("weir", @case, "rate", rate, "MB/s"), Row.Fixed("weir inline", @case, "rate", 1_000, "MB/s")).Holds);
    }

    private static Promise Decided(params IReadOnlyList<Row> rows) => new WorkerFiles().Promises(new Measured(rows, []), Scale.Full).Single(static promise => promise.Readings.IsMeasured);
}
