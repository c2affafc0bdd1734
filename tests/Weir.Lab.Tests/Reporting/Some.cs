using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

/// <summary>Reports for tests.</summary>
internal static class Some
{
    public static RunReport Report(double rate = 123.4, double ratio = 2, double resolution = 0.07) => ReportOf([ratio, ratio, ratio, ratio, ratio], rate, resolution);

    /// <summary>A run whose ratio had these quotients; none when it was not measured.</summary>
    public static RunReport ReportOf(double[] quotients, double rate = 123.4, double resolution = 0.07) => new()
    {
        Machine = new Machine("cpu", 2, "os", "6.18", 1_000_000_000, ".NET", "10.0", false, "performance", true, 0.5),
        Commit = "abc",
        Command = "lab run pool-chaos",
        Scale = "quick",
        Started = DateTimeOffset.UnixEpoch,
        Resolution = resolution,
        Experiments =
        [
            new ExperimentReport("pool-chaos", "?", "003", 12.3)
            {
                Rows = [new Row("weir", "1 KB", "calls/s", rate, 1, 200, "1/s") { Rounds = [1, null, 200] }, Row.Fixed("document", "1 KB", "calls/s", 5, "1/s")],
                LeftOut = "what takes long",
                Missing = [new ExperimentReport.MissingReport("ruby", "apt-get install ruby")],
                Later = [new ExperimentReport.LaterReport("weir node", "foreign workers")],
                Failed = [new ExperimentReport.FailedReport("pool", "1 KB", "it broke")],
                Promises =
                [
                    PromiseReport.Of(Promise.Count("0 lost", Series.Given(0), Relation.AtMost, 0), resolution),
                    PromiseReport.Of(Promise.Ratio("twice as fast", Series.Of("1 KB", quotients.Select(value => (double?)value)), Relation.AtLeast, 2), resolution),
                ],
                Timelines = [new ExperimentReport.TimelineReport("weir", "1 KB", [new TimelineEvent(0.5, "started", 42)])],
            },
        ],
    };
}
