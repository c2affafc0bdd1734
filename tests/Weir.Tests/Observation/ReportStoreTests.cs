using System.Diagnostics;
using System.IO.Compression;
using System.Text.Json;
using Weir.Execution.Observation;

namespace Weir.Tests.Observation;

public sealed class ReportStoreTests
{
    [Fact]
    public void A_kept_report_is_found_by_its_id_as_it_was_made()
    {
        var store = new ReportStore();
        var report = Report(1) with
        {
            ExitCode = 3,
            Signal = 6,
            Stack = "at Hasher.Hash\n<img onerror>",
            DumpPath = "/dumps/1.dmp",
            Limits = new AppliedLimits
            {
                Nice = 10,
                Priority = ProcessPriorityClass.BelowNormal,
                Processors = [0, 2],
                MemoryBytes = 1L << 40,
                OomScoreAdjustment = 500,
                ControlGroup = "weir/1",
                EndsEverything = true,
                GroupMemoryBytes = 1L << 33,
                Processes = 20,
                Cpus = 1.5,
                Missing = ["memory: no control group"],
            },
        };
        store.Add(Report(0));
        store.Add(report);
        var found = store.Find("hashing-4711-1")!;
        Assert.Equal(report with { Calls = found.Calls, Limits = found.Limits }, found);
        Assert.Equal(report.Calls, found.Calls);
        Assert.Equal(
            report.Limits with { Processors = found.Limits.Processors, Missing = found.Limits.Missing }, found.Limits);
        Assert.Equal(report.Limits.Processors, found.Limits.Processors);
        Assert.Equal(report.Limits.Missing, found.Limits.Missing);
        Assert.Equal(report.ToString(), found.ToString());
    }

    [Fact]
    public void What_a_report_does_not_have_it_does_not_have_when_it_is_found()
    {
        var store = new ReportStore();
        store.Add(Report(1) with { Calls = [] });
        var found = store.Find("hashing-4711-1")!;
        Assert.Equal((null, null, null, null), (found.ExitCode, found.Signal, found.Stack, found.DumpPath));
        Assert.Equal(AppliedLimits.None with { Missing = found.Limits.Missing }, found.Limits);
        Assert.Empty(found.Calls);
    }

    [Fact]
    public void A_report_that_is_not_kept_is_not_found()
    {
        var store = new ReportStore();
        Assert.Null(store.Find("hashing-4711-1"));
        store.Add(Report(1));
        Assert.Null(store.Find("HASHING-4711-1"));
        Assert.False(store.TryGetCompressed("hashing-4711-2", out _));
    }

    [Fact]
    public void The_list_has_the_newest_first_with_the_operation_that_ran()
    {
        var store = new ReportStore();
        Assert.Empty(store.Summaries);
        store.Add(Report(1));
        store.Add(Report(2) with { Calls = [new CrashReportCall(1, "Hasher/Hash", "answered", TimeSpan.Zero)], Phase = "idle" });
        Assert.Equal(
            [
                new CrashReportSummary("hashing-4711-2", DateTimeOffset.UnixEpoch, "hashing", "out of memory", "idle", null, 4711),
                new CrashReportSummary("hashing-4711-1", DateTimeOffset.UnixEpoch, "hashing", "out of memory", "call", "Hasher/Crash", 4711),
            ],
            store.Summaries);
    }

    [Fact]
    public void The_oldest_go_first_when_the_limit_is_reached()
    {
        var store = new ReportStore(mostBytes: 20_000);
        for (var i = 0; i < 100; i++)
        {
            store.Add(Report(i) with { Output = Noise(i, 1500) });
            Assert.InRange(store.Bytes, 1000, 20_000);
        }

        var kept = store.Summaries.Select(static one => one.Id).ToArray();
        Assert.InRange(kept.Length, 5, 13);
        Assert.Equal(Enumerable.Range(0, kept.Length).Select(static i => $"hashing-4711-{99 - i}"), kept);
        Assert.Null(store.Find("hashing-4711-0"));
        Assert.Equal(Noise(99, 1500), store.Find("hashing-4711-99")!.Output);
    }

    [Fact]
    public void The_newest_is_kept_whatever_its_size()
    {
        var store = new ReportStore(mostBytes: 1000);
        store.Add(Report(1));
        store.Add(Report(2) with { Output = Noise(2, 50_000) });
        Assert.Equal(["hashing-4711-2"], store.Summaries.Select(static one => one.Id));
        store.Add(Report(3));
        Assert.Equal(["hashing-4711-3"], store.Summaries.Select(static one => one.Id));
        Assert.InRange(store.Bytes, 1, 1000);
    }

    [Fact]
    public void A_megabyte_holds_hundreds_of_reports_of_workers_that_printed_little()
    {
        var store = new ReportStore();
        for (var i = 0; i < 5000; i++)
        {
            store.Add(Report(i));
        }

        Assert.InRange(store.Summaries.Count, 500, 4000);
        Assert.InRange(store.Bytes, 900_000, ReportStore.DefaultBytes);
    }

    [Fact]
    public void The_compressed_form_is_JSON_with_times_in_seconds()
    {
        var store = new ReportStore();
        store.Add(Report(1));
        Assert.True(store.TryGetCompressed("hashing-4711-1", out var compressed));
        using var gzip = new GZipStream(new MemoryStream(compressed), CompressionMode.Decompress);
        using var json = JsonDocument.Parse(gzip);
        Assert.Equal("hashing-4711-1", json.RootElement.GetProperty("id").GetString());
        Assert.Equal(1.5m, json.RootElement.GetProperty("age").GetDecimal());
        Assert.Equal(4711, json.RootElement.GetProperty("pid").GetInt32());
        Assert.False(json.RootElement.TryGetProperty("signal", out _));
    }

    private static CrashReport Report(int serial) => new()
    {
        Id = $"hashing-4711-{serial}",
        Pool = "hashing",
        ProcessId = 4711,
        Generation = 2,
        At = DateTimeOffset.UnixEpoch,
        Phase = "call",
        Cause = "out of memory",
        Age = TimeSpan.FromSeconds(1.5),
        CallsDone = 7,
        Calls = [new CrashReportCall(1, "Hasher/Hash", "answered", TimeSpan.FromTicks(1_234_567)), new CrashReportCall(2, "Hasher/Crash", "running", TimeSpan.FromMilliseconds(3))],
        Output = "\"quoted\" \0 and\nmore",
        Limits = AppliedLimits.None,
    };

    // Text that cannot be compressed to much less than half.
    private static string Noise(int seed, int length)
    {
        var random = new Random(seed);
        return string.Create(length, random, static (text, random) =>
        {
            for (var i = 0; i < text.Length; i++)
            {
                text[i] = (char)random.Next('!', '~');
            }
        });
    }
}
