using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Streaming;
using Weir.Tests.Execution;

namespace Weir.Tests.AspNetCore;

/// <summary>What a host that stops says while it waits.</summary>
public sealed class ShutdownReportTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly RecordedLoggers _log = new();
    private readonly ShutdownReport _report;

    public ShutdownReportTests() => _report = new ShutdownReport(Options.Create(new HostOptions { ShutdownTimeout = TimeSpan.FromSeconds(30) }), _time, _log);

    public void Dispose()
    {
        _report.Dispose();
        _log.Dispose();
    }

    [Fact]
    public void Streams_are_named_with_their_age_at_once_and_every_5_seconds_until_the_end()
    {
        var stream = _report.Add(Some.Operation(), isMovable: false);
        _time.Advance(TimeSpan.FromSeconds(12));
        Assert.Equal(0, _time.ActiveTimers);

        _report.Begin(null);
        Assert.Equal("The host is shutting down and waits for 1 stream (Some/Answer, 12 s); 0 s of HostOptions.ShutdownTimeout (00:00:30) have passed.", Assert.Single(_log.Texts));
        _report.Begin(null);
        Assert.Single(_log.Texts);

        _time.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal("The host is shutting down and waits for 1 stream (Some/Answer, 17 s); 5 s of HostOptions.ShutdownTimeout (00:00:30) have passed.", _log.Texts[1]);
        stream.Dispose();
        _time.Advance(TimeSpan.FromSeconds(5));
        Assert.Contains("waits for requests of inline operations, or other parts of the application;", _log.Texts[2], StringComparison.Ordinal);

        _report.Dispose();
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(3, _log.Texts.Length);
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public void A_host_that_waits_for_nothing_says_nothing()
    {
        _report.Add(Some.Operation(), isMovable: false).Dispose();
        using var moves = _report.Add(Some.Operation(), isMovable: true);
        _report.Begin(null);
        Assert.Empty(_log.Texts);
    }

    [Fact]
    public void Only_the_oldest_of_many_are_named()
    {
        var streams = Enumerable.Range(0, 1000).Select(_ => _report.Add(Some.Operation(), isMovable: false)).ToArray();
        _report.Begin(null);
        Assert.Contains("waits for 1000 streams (Some/Answer, 0 s; Some/Answer, 0 s; Some/Answer, 0 s; Some/Answer, 0 s; Some/Answer, 0 s; …);", Assert.Single(_log.Texts), StringComparison.Ordinal);
        Assert.All(streams, static stream => stream.Dispose());
    }
}
