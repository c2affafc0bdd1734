using System.Text.Json;
using Weir.Lab.Engine;
using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

public sealed class ReportFileTests
{
    [Fact]
    public void The_members_of_version_1_keep_their_names()
    {
        using var json = JsonDocument.Parse(ReportFile.Text(Some.Report()));
        var root = json.RootElement;
        Assert.Equal(1, root.GetProperty("schema").GetInt32());
        Assert.Equal(0.07, root.GetProperty("resolution").GetDouble());
        Assert.Equal("abc", root.GetProperty("commit").GetString());
        Assert.Equal("lab run pool-chaos", root.GetProperty("command").GetString());
        Assert.Equal(2, root.GetProperty("machine").GetProperty("cores").GetInt32());

        var experiment = root.GetProperty("experiments")[0];
        Assert.Equal("pool-chaos", experiment.GetProperty("name").GetString());
        Assert.Equal(12.3, experiment.GetProperty("seconds").GetDouble());
        Assert.Equal(
            """{"contender":"weir","case":"1 KB","metric":"calls/s","value":123.4,"low":1,"high":200,"unit":"1/s","rounds":[1,null,200]}""",
            Compact(experiment.GetProperty("rows")[0]));
        Assert.Equal(
            """{"contender":"document","case":"1 KB","metric":"calls/s","value":5,"low":5,"high":5,"unit":"1/s"}""",
            Compact(experiment.GetProperty("rows")[1]));
        Assert.Equal("""{"contender":"ruby","install":"apt-get install ruby"}""", Compact(experiment.GetProperty("missing")[0]));
        Assert.StartsWith(
            """{"text":"0 lost","value":0,"limit":0,"relation":"\u003C=","holds":true""",
            Compact(experiment.GetProperty("promises")[0]), StringComparison.Ordinal);
        Assert.Equal(
            """{"text":"twice as fast","value":2,"limit":2,"relation":"\u003E=","holds":true,"kind":"ratio","close":true,"low":2,"high":2,"rounds":5,"resolution":0.07}""",
            Compact(experiment.GetProperty("promises")[1]));
    }

    [Fact]
    public void A_run_comes_back_as_it_was() =>
        Assert.Equal(ReportFile.Text(Some.Report()), ReportFile.Text(ReportFile.Parse(ReportFile.Text(Some.Report()))));

    [Fact]
    public void What_was_not_measured_is_null_and_does_not_hold()
    {
        var promise = PromiseReport.Of(Promise.Ratio("faster", Series.None, Relation.AtLeast, 2), 0.1);
        Assert.Null(promise.Value);
        Assert.False(promise.Holds);
        Assert.Contains("\"value\": null", ReportFile.Text(Some.Report() with { Experiments = [Some.Report().Experiments[0] with { Promises = [promise] }] }), StringComparison.Ordinal);
    }

    [Fact]
    public void A_machine_that_was_coarser_at_the_end_makes_more_ratios_close()
    {
        var report = Some.Report(ratio: 2.3, resolution: 0.07);
        Assert.False(report.Experiments[0].Promises[1].Close);
        Assert.True(report.At(0.2).Experiments[0].Promises[1].Close);
        Assert.False(report.At(0.2).Experiments[0].Promises[0].Close);
        Assert.Equal(0.07, report.At(0.01).Resolution);
    }

    [Fact]
    public void Another_version_is_refused() =>
        Assert.Throws<InvalidDataException>(() => ReportFile.Parse(ReportFile.Text(Some.Report() with { Schema = 2 })));

    private static string Compact(JsonElement element) => JsonSerializer.Serialize(element);
}
