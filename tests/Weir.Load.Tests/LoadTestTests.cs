using System.Collections.Concurrent;
using static Weir.Load.Tests.Loads;

namespace Weir.Load.Tests;

/// <summary>Load tests over both engines: what is sent, counted and measured.</summary>
public sealed class LoadTestTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_closed_load_sends_the_number_of_requests_that_was_asked_for(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/hello"), Connections = 7, Requests = 1_001 });
        Assert.Equal((1_001, 0), (report.Requests, report.Errors));
        Assert.Equal(1_001, report.ServiceTime.Count);
        Assert.Equal(report.ServiceTime, report.ResponseTime);
        Assert.True(report.BytesReceived >= 1_001 * "Hello".Length);
        Assert.Equal(0, report.Lateness.Count);
        Assert.Null(report.FirstByte);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task An_open_load_sends_at_its_rate(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/hello"), Connections = 8, Rate = 200, Duration = TimeSpan.FromSeconds(0.5) });
        Assert.Equal((100, 0), (report.Requests, report.Errors));
        Assert.Equal(100, report.Lateness.Count);
        Assert.InRange(report.Seconds, 0.49, 10);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task Requests_of_the_warm_up_are_not_counted(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions
        {
            Address = AddressOf(app, "/hello"),
            Rate = 100,
            WarmUp = TimeSpan.FromSeconds(0.25),
            Duration = TimeSpan.FromSeconds(0.25),
        });
        Assert.Equal(25, report.Requests);
        Assert.Equal(25, report.ResponseTime.Count);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task Statuses_are_counted_by_their_number(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/busy"), Connections = 3, Requests = 30 });
        Assert.Equal(30, report.Errors);
        Assert.Equal(30, report.ErrorsByKind["status 503"]);
        Assert.Equal(0, report.Rate);
        Assert.Equal(30, report.ServiceTime.Count);
    }

    [Fact]
    public async Task Progress_is_reported_while_the_test_runs()
    {
        await using var app = await StartAsync();
        var reports = new ConcurrentQueue<LoadProgress>();
        var report = await LoadTest.RunAsync(
            new LoadOptions { Address = AddressOf(app, "/hello"), Rate = 50, Duration = TimeSpan.FromSeconds(0.8) }, new Synchronous(reports.Enqueue), Token);
        Assert.True(reports.Count >= 3, $"{reports.Count} reports");
        Assert.Equal(report.Requests, reports.Last().Requests);
    }

    private sealed class Synchronous(Action<LoadProgress> report) : IProgress<LoadProgress>
    {
        public void Report(LoadProgress value) => report(value);
    }
}
