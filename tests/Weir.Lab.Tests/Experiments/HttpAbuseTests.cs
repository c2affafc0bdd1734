using Weir.Lab.Engine;
using Weir.Lab.Experiments;
using Weir.Lab.Load;

namespace Weir.Lab.Tests.Experiments;

public sealed class HttpAbuseTests
{
    private static readonly HttpAbuse Experiment = new();

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public void One_failure_of_one_kind_of_request_decides(double failures, bool holds)
    {
        foreach (var metric in new[] { AbuseCount.Failures, AbuseCount.Hangs, AbuseCount.Unanswered })
        {
            var rows = HostileRequests.Kinds.Select((kind, i) => Row.Fixed("weir", kind, metric, i == 3 ? failures : 0, ""));
            Assert.Equal(holds, Decided([.. rows]).Holds);
        }
    }

    [Theory]
    [InlineData(1.4, true)]
    [InlineData(1.6, false)]
    public void An_idle_server_may_not_hold_what_left_with_the_senders(double quotient, bool holds) =>
        Assert.Equal(holds, Decided(Row.Fixed("weir", CaseWith("aborted uploads"), "after ÷ before", quotient, "")).Holds);

    [Theory]
    [InlineData("weir, whole bodies", "unanswered", 0, true)]
    [InlineData("weir, whole bodies", "unanswered", 1, false)]
    [InlineData("weir, whole bodies", "healthy p50", 5, true)]
    [InlineData("weir, whole bodies", "healthy p50", 900, false)]
    [InlineData("weir, items", "healthy worst", 8_900, true)]
    [InlineData("weir, items", "healthy worst", 9_100, false)]
    public void Senders_that_drip_may_not_hold_the_workers(string contender, string metric, double value, bool holds) =>
        Assert.Equal(holds, Decided(Row.Fixed(contender, CaseWith("senders of 1 byte/s"), metric, value, "ms")).Holds);

    private static Promise Decided(params IReadOnlyList<Row> rows) =>
        Experiment.Promises(new Measured(rows, []), Scale.Full).Single(promise => promise.Readings.IsMeasured);

    private static string CaseWith(string part) =>
        Experiment.Cases(Scale.Full).Select(@case => @case.Name).Single(name => name.Contains(part, StringComparison.Ordinal));
}
