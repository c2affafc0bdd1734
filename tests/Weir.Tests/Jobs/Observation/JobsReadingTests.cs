using System.Buffers;
using System.Text;
using System.Text.Json;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Observation;

namespace Weir.Tests.Jobs.Observation;

/// <summary>What the record and the text have of jobs.</summary>
public sealed class JobsReadingTests
{
    private static readonly KindRow Build = new("Reports/Build", 1204, 8, IsPaused: false, new KindFigures(120, 2, 2, 1.5, 30, null));
    private static readonly KindRow Send = new("Mail/Send", 0, 0, IsPaused: true, default);

    private static JobsReading Reading => new() { Waiting = 1204, Oldest = TimeSpan.FromSeconds(3), Kinds = [Build, Send] };

    [Fact]
    public void The_member_has_the_documented_form() => Assert.Equal(
        """{"waiting":1204,"oldest":3,"running":8,"rate":2,"failed":2,"paused":["Mail/Send"],"kindCount":2,"kinds":{"Reports/Build":{"waiting":1204,"running":8,"rate":2,"failed":2,"p50":1.5,"p99":30,"paused":false},"Mail/Send":{"waiting":0,"running":0,"rate":0,"failed":0,"paused":true}}}""",
        Json(Reading));

    [Fact]
    public void What_the_process_does_not_know_is_left_out()
    {
        var reading = new JobsReading { Kinds = [Build with { Waiting = null }] };
        Assert.Equal(
            """{"running":8,"rate":2,"failed":2,"paused":[],"kindCount":1,"kinds":{"Reports/Build":{"running":8,"rate":2,"failed":2,"p50":1.5,"p99":30,"paused":false}}}""",
            Json(reading));
        Assert.Equal("JOBS  running 8 · 2/s · failed 2 in the last minute", reading.Line);
        Assert.Equal(["Reports/Build", "–", "8", "2", "2", "1.5 s", "30.0 s", ""], Assert.Single(reading.Table.Rows));
    }

    [Fact]
    public void The_line_has_the_totals_and_the_kinds_that_are_paused() => Assert.Equal(
        "JOBS  waiting 1,204 (oldest 3.0 s) · running 8 · 2/s · failed 2 in the last minute · paused: Mail/Send", Reading.Line);

    [Fact]
    public void Of_many_paused_kinds_five_are_named()
    {
        var reading = new JobsReading { Kinds = [.. Enumerable.Range(1, 8).Select(static i => Send with { Name = $"Mail/{i}" })] };
        Assert.EndsWith("paused: Mail/1, Mail/2, Mail/3, Mail/4, Mail/5 and 3 more", reading.Line, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_1000_kinds_the_first_50_are_listed_and_the_totals_are_of_all()
    {
        var reading = new JobsReading { Kinds = [.. Enumerable.Range(0, 1000).Select(static i => Build with { Name = $"Reports{new string('x', 40)}/Build{i}" })] };
        var json = Json(reading);
        Assert.Equal((50, 50), (reading.Table.Rows.Count, JsonElement.Parse(json).GetProperty("kinds").EnumerateObject().Count()));
        Assert.Equal((8000, 1000), (JsonElement.Parse(json).GetProperty("running").GetInt32(), JsonElement.Parse(json).GetProperty("kindCount").GetInt32()));
        Assert.InRange(json.Length, 1000, 10_000);
    }

    private static string Json(JobsReading reading)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes))
        {
            reading.Write(json);
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }
}
